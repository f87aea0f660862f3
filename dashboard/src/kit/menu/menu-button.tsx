import type { MenuProps } from "@mantine/core";
import { cloneElement, lazy, type ReactElement, type ReactNode, Suspense, useState } from "react";

/** A line of a menu: something to do, somewhere to go, a heading, or a line between two groups. */
export type MenuEntry =
  | {
      text: ReactNode;
      /** What happens; `to` leads to a page, `href` to an address in a window of its own. */
      run?: () => void;
      to?: string;
      href?: string;
      /** Of something that is on or off. */
      isOn?: boolean;
      isDangerous?: boolean;
      left?: ReactNode;
      right?: ReactNode;
      lang?: string;
    }
  | { heading: ReactNode }
  | "line";
export type MenuDescription = {
  entries: readonly MenuEntry[];
  /** Above the entries. */
  head?: ReactNode;
  /** Stays open when something is chosen. */
  isKept?: boolean;
  position?: NonNullable<MenuProps["position"]>;
  width?: number;
};

const load = () => import("./open-menu.tsx");
const OpenMenu = lazy(load);

/** A button with a menu. The menu itself is loaded when somebody comes near the button: most pages are read without one. */
export function MenuButton({ button, ...menu }: MenuDescription & { button: ReactElement<object> }) {
  const [isWanted, setWanted] = useState(false);
  const plain = cloneElement(button, {
    "aria-haspopup": "menu",
    "aria-expanded": false,
    onClick: () => setWanted(true),
    onPointerEnter: () => void load(),
    onFocus: () => void load(),
  } as object);
  if (!isWanted) return plain;
  return (
    <Suspense fallback={plain}>
      <OpenMenu button={button} {...menu} />
    </Suspense>
  );
}
