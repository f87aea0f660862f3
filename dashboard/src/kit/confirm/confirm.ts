import { want } from "../floating/wanted.ts";
import type { Act } from "./question.tsx";
import { whenReady } from "./ready.ts";

/** Asks before what cannot be undone. Holds with whether it is meant. */
export async function confirm(act: Act): Promise<boolean> {
  want("questions");
  const [{ openQuestion }] = await Promise.all([import("./question.tsx"), whenReady()]);
  return new Promise((resolve) => openQuestion(act, resolve));
}
