import { sessionState } from "../../api/session.ts";

// What somebody typed and did not save, by user, project and record. It is offered on return and gone after signing out.
const PREFIX = "laurel-draft:";

const keyOf = (record: string): string => {
  const { session, project } = sessionState();
  return `${PREFIX}${session?.user.id ?? ""}:${project?.id ?? ""}:${record}`;
};

export type Draft = { values: Record<string, unknown>; savedAt: string };

export function readDraft(record: string): Draft | null {
  const text = localStorage.getItem(keyOf(record));
  return text === null ? null : (JSON.parse(text) as Draft);
}

export function saveDraft(record: string, values: Record<string, unknown>): void {
  localStorage.setItem(keyOf(record), JSON.stringify({ values, savedAt: new Date().toISOString() } satisfies Draft));
}

export const dropDraft = (record: string): void => localStorage.removeItem(keyOf(record));

export function forgetDrafts(): void {
  for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX)) localStorage.removeItem(key);
}
