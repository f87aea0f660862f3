import { useSyncExternalStore } from "react";
import { op } from "./op.ts";
import type { Session } from "./operations.gen.ts";

export type { Session };
export type Project = Session["projects"][number];
export type Credentials = { email: string; password: string; code?: string };

const PATH = "/management/v1/session";
export const createSession = op<{ params: object; body: Credentials; answer: Session }>("createSession", "POST", PATH);
export const getSession = op<{ params: object; body: undefined; answer: Session }>("getSession", "GET", PATH);
export const deleteSession = op<{ params: object; body: undefined; answer: null }>("deleteSession", "DELETE", PATH);

/** Who is signed in, and in which project. `isOver`: the server has ended the session, and the page is still open. */
export type SessionState = { session: Session | null; project: Project | null; isOver: boolean; isKnown: boolean };

let state: SessionState = { session: null, project: null, isOver: false, isKnown: false };
const listeners = new Set<() => void>();
let again: PromiseWithResolvers<void> | null = null;

function change(next: Partial<SessionState>): void {
  state = { ...state, ...next };
  for (const listener of listeners) listener();
}

const PROJECT_KEY = "laurel-project";
/** A link may name its project; else it is the one of the last visit. */
function projectOf({ projects }: Session, id?: string): Project | null {
  const wanted = id ?? new URLSearchParams(location.search).get("project") ?? localStorage.getItem(PROJECT_KEY);
  return projects.find((one) => one.id === wanted) ?? projects[0] ?? null;
}

export const sessionState = (): SessionState => state;

export function signedIn(session: Session): void {
  change({ session, project: projectOf(session, state.project?.id), isOver: false, isKnown: true });
  again?.resolve();
  again = null;
}

export function signedOut(): void {
  change({ session: null, project: null, isOver: false, isKnown: true });
  again?.reject(new Error("signed out"));
  again = null;
}

/** The session ended under an open page. Holds once somebody has signed in over it. */
export function signedInAgain(): Promise<void> {
  again ??= Promise.withResolvers<void>();
  if (!state.isOver) change({ isOver: true });
  return again.promise;
}

export function openProject(id: string): void {
  const project = state.session && projectOf(state.session, id);
  if (!project) return;
  localStorage.setItem(PROJECT_KEY, project.id);
  change({ project });
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};
export const useSession = (): SessionState => useSyncExternalStore(subscribe, sessionState);

/** The project that is open. Only below the layout, which is not there without one. */
export function useProject(): Project {
  const { project } = useSession();
  if (!project) throw new Error("no project is open");
  return project;
}

/** Whether the role of who is signed in allows an operation, by its id. */
export function useCan(): (operation: string) => boolean {
  const { session, project } = useSession();
  return (operation) =>
    (project?.operations.includes(operation) ?? false) || (session?.operations.includes(operation) ?? false);
}
