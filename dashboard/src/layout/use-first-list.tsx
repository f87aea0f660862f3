import { Activity, Component, type ReactNode, useState } from "react";
import { createPortal } from "react-dom";
import { useReadAhead } from "../api/use-op.ts";
import type { Screen } from "../routes/screen.ts";

/** Until a browser has drawn a list where nobody sees it. */
const DRAWN_MS = 2_000;

/** What fails here is told on its own page, and breaks no other one. React asks for a class. */
class Unseen extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false };
  static getDerivedStateFromError() {
    return { hasFailed: true };
  }
  override render() {
    return this.state.hasFailed ? null : <Activity mode="hidden">{this.props.children}</Activity>;
  }
}

/**
 * Draws a list once where nobody sees it, while nobody waits for anything: code that runs for the first time takes three times as
 * long, and the first click on any list would pay for it. Nothing of it is on the page, and none of its effects run.
 */
export function useFirstList(): { drawn: ReactNode; draw: (screen: Screen) => Promise<void> } {
  const [drawn, setDrawn] = useState<ReactNode>(null);
  const readAhead = useReadAhead();
  const draw = async ({ screen }: Screen) => {
    const { default: List } = await screen();
    if (!List.first) return;
    await readAhead(List.first);
    setDrawn(
      createPortal(
        <Unseen>
          <List />
        </Unseen>,
        document.createElement("div"),
      ),
    );
    setTimeout(() => setDrawn(null), DRAWN_MS);
  };
  return { drawn, draw };
}
