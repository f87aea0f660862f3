import {
  keepPreviousData,
  QueryClient,
  type QueryFilters,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useRef } from "react";
import { RequestError } from "./errors.ts";
import { isOldAfter } from "./invalidates.ts";
import type { AnswerOf, AnyOp, BodyOf, Call, ParamsOf } from "./op.ts";
import { type Answer, send, sendFor } from "./send.ts";
import { sessionState, useSession } from "./session.ts";

const STALE_MS = 30_000;

export const createQueryClient = () =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: STALE_MS,
        // What was refused is refused again; only what went wrong is tried once more.
        retry: (count, error) =>
          count < 1 && !(error instanceof RequestError && error.status >= 400 && error.status < 500),
        retryDelay: 500,
      },
      mutations: { retry: false },
    },
  });

export const keyOf = (operation: AnyOp, params: object, project = sessionState().project?.id) => [
  project ?? "",
  operation.id,
  params,
];

/** What is asked, as TanStack Query wants it. The answer is kept for the project, the operation and its parameters. */
export const questionOf = <O extends AnyOp>(operation: O, params: ParamsOf<O>, project?: string) => ({
  queryKey: keyOf(operation, params as object, project),
  queryFn: ({ signal }: { signal: AbortSignal }) => send(operation, params, { signal }),
  meta: { path: operation.path },
});

type QueryOptions = { enabled?: boolean; keepOld?: boolean; everyMs?: number };

/** Reads an operation. */
export function useOp<O extends AnyOp>(
  operation: O,
  params: ParamsOf<O>,
  { enabled = true, keepOld = false, everyMs }: QueryOptions = {},
): UseQueryResult<AnswerOf<O>, Error> {
  const { project } = useSession();
  return useQuery({
    ...questionOf(operation, params, project?.id),
    enabled,
    ...(keepOld && { placeholderData: keepPreviousData }),
    ...(everyMs !== undefined && { refetchInterval: everyMs }),
  });
}

/** Reads what will be asked for in a moment: it is there, or under way, when a page asks. */
export function useReadAhead(): (asked: Pick<Call, "operation" | "params">) => Promise<void> {
  const client = useQueryClient();
  const { project } = useSession();
  return ({ operation, params }) => client.prefetchQuery(questionOf(operation, params, project?.id));
}

/** What was read, or why not, and how to ask again. */
export type Reading<T> = { data: T | undefined; error: Error | null; refetch: () => Promise<unknown> };

/**
 * As `useOp`, with the version of the record, which a form sends back as `If-Match`. Nothing is kept of it: a form that began
 * with an older version would find a change that nobody made meanwhile.
 */
export function useRecord<O extends AnyOp>(operation: O, params: ParamsOf<O>, { enabled = true } = {}) {
  const { project } = useSession();
  return useQuery<Answer<AnswerOf<O>>, Error>({
    queryKey: [...keyOf(operation, params as object, project?.id), "etag"],
    queryFn: ({ signal }) => sendFor(operation, params, { signal }),
    meta: { path: operation.path },
    enabled,
    gcTime: 0,
  });
}

/**
 * Asks again for everything that a write may have changed. An answer that is on its way may be older than the write, and a first
 * question that is under way would not be asked again: it is given up.
 */
export async function askAgainAfter(client: QueryClient, operation: AnyOp): Promise<void> {
  const changed: QueryFilters = {
    predicate: ({ meta }) => typeof meta?.path === "string" && isOldAfter(operation, meta.path),
  };
  await client.cancelQueries(changed);
  await client.invalidateQueries(changed);
}

export type Write<O extends AnyOp> = { params: ParamsOf<O>; body?: BodyOf<O>; ifMatch?: string };

/** `randomUUID` is there on https and on this machine only. */
const newKey = () => Array.from(crypto.getRandomValues(new Uint32Array(4)), (one) => one.toString(36)).join("");

export type Sender = <O extends AnyOp>(operation: O, write: Write<O>) => Promise<AnswerOf<O>>;

/**
 * Sends writes, and asks again for what they changed. The key of a write is kept until an answer came: pressing the button once
 * more after a lost answer does nothing twice.
 */
export function useSender(): Sender {
  const client = useQueryClient();
  const keys = useRef(new Map<string, string>()).current;
  return async (operation, { params, body, ifMatch }) => {
    const text = JSON.stringify([operation.id, params, body]);
    const idempotencyKey = keys.get(text) ?? newKey();
    keys.set(text, idempotencyKey);
    const options = { idempotencyKey, ...(body !== undefined && { body }), ...(ifMatch && { ifMatch }) };
    try {
      const answer = await send(operation, params, options);
      keys.delete(text);
      await askAgainAfter(client, operation);
      return answer;
    } catch (error) {
      if (error instanceof RequestError && error.status > 0) keys.delete(text);
      throw error;
    }
  };
}

/** One write, and how far it is. */
export function useSend<O extends AnyOp>(operation: O): UseMutationResult<AnswerOf<O>, Error, Write<O>> {
  const send = useSender();
  return useMutation({ mutationFn: (write: Write<O>) => send(operation, write) });
}
