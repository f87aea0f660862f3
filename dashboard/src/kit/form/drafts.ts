import { sessionState } from "../../api/session.ts";

// What somebody typed and did not save, by user, project and record. It is offered on return and gone after signing out.
const PREFIX = "laurel-draft:";

const keyOf = (record: string): string => {
  const { session, project } = sessionState();
  return `${PREFIX}${session?.user.id ?? ""}:${project?.id ?? ""}:${record}`;
};

/**
 * The number of the shape that forms hold their values in. Raise it when a form holds a field otherwise than before: a draft of
 * another shape would break the form that it is brought back to, and is dropped.
 */
export const SHAPE = 2;

export type Draft = { values: Record<string, unknown>; savedAt: string };
type Kept = Draft & { shape: number };

export function readDraft(record: string): Draft | null {
  const text = localStorage.getItem(keyOf(record));
  if (text === null) return null;
  const { shape, ...draft } = JSON.parse(text) as Kept;
  if (shape === SHAPE) return draft;
  dropDraft(record);
  return null;
}

export function saveDraft(record: string, values: Record<string, unknown>): void {
  const kept: Kept = { shape: SHAPE, values, savedAt: new Date().toISOString() };
  localStorage.setItem(keyOf(record), JSON.stringify(kept));
}

export const dropDraft = (record: string): void => localStorage.removeItem(keyOf(record));

export function forgetDrafts(): void {
  for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX)) localStorage.removeItem(key);
}
