import { useLocalStorage } from "@mantine/hooks";
import { useEffect, useRef } from "react";

/** Whether single letters are keys. Who speaks to the computer turns them off (WCAG 2.1.4). */
export const useLetters = () =>
  useLocalStorage({ key: "laurel-letters", defaultValue: true, getInitialValueInEffect: false });

const TYPING =
  "input, textarea, select, [contenteditable=true], [role=textbox], [role=combobox], [role=dialog] *, [role=menu] *";
const isTyping = (target: EventTarget | null) => target instanceof Element && target.closest(TYPING) !== null;

/** Keys of a page, by their names as `KeyboardEvent.key` has them. Never while somebody types. */
export function useKeys(keys: Record<string, (event: KeyboardEvent) => void>): void {
  const [hasLetters] = useLetters();
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (event.key.length === 1 && !hasLetters) return;
      latest.current[event.key]?.(event);
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [hasLetters]);
}
