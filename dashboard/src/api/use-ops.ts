import { useQueries } from "@tanstack/react-query";
import type { AnswerOf, AnyOp, ParamsOf } from "./op.ts";
import { useSession } from "./session.ts";
import { questionOf, type Reading } from "./use-op.ts";

// Beside `use-op.ts`, so that only pages that ask many questions at once load what answers them.

/** Reads an operation once for each set of parameters. The answers come in their order, when all of them are there. */
export function useOps<O extends AnyOp>(operation: O, each: readonly ParamsOf<O>[]): Reading<AnswerOf<O>[]> {
  const { project } = useSession();
  return useQueries({
    queries: each.map((params) => questionOf(operation, params, project?.id)),
    combine: (results) => ({
      data: results.every(({ data }) => data !== undefined)
        ? results.map(({ data }) => data as AnswerOf<O>)
        : undefined,
      error: results.find(({ error }) => error !== null)?.error ?? null,
      refetch: () => Promise.all(results.map(({ refetch }) => refetch())),
    }),
  });
}
