import { after } from "node:test";

const ends: (() => unknown)[] = [];

/** Runs something when the tests of this file are over. Files that share a process end one after the other. */
export const atEndOfFile = (end: () => unknown): void => void ends.push(end);

/** What was opened last is closed first. */
export async function endFile(): Promise<void> {
  for (let end = ends.pop(); end; end = ends.pop()) await end();
}

after(endFile);
