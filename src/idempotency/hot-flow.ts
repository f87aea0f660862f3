import type { Answer } from "../core/answer.ts";
import type { Flow, LaneFailure } from "../db/batches/batch.ts";
import { commitWith } from "../db/batches/commit.ts";
import type { Tx } from "../db/db.ts";
import { together } from "../db/together.ts";
import { answersOf, type Claim, claimKeys, heldKeys, type Rebuild, storeAnswers } from "./claim.ts";

/** A command that may be repeated, under the key that it claims. */
export type Keyed = { claim: Claim | null };
type Command = Keyed & { request_id: string };

/** The commands of a batch that are to be run: those whose key has no answer yet. */
export type Fresh<C, F> = {
  commands: readonly C[];
  /** What was read with the keys. */
  first: F;
  /** Whether these are all commands of the batch. */
  isWhole: boolean;
};

/** A flow whose commands may have an Idempotency-Key. */
type HotFlow<C extends Command, F> = {
  name: string;
  failed: Flow<C, Answer>["failed"];
  /** The commands that need something that another transaction holds; of keys that is known. */
  held?(tx: Tx, commands: readonly C[]): Promise<Iterable<readonly [C, LaneFailure]>>;
  late?: Flow<C, Answer>["late"];
  /** What is read of all commands, in the same message as the keys and behind their locks. */
  first?(tx: Tx, commands: readonly C[]): PromiseLike<F>;
  /** Makes answers again that say what they are made of. */
  rebuild?: Rebuild<C>;
  /** Runs the commands, and ends with `answer`. */
  run(tx: Tx, projectId: string, fresh: Fresh<C, F>, answer: AnswerAll<C>): Promise<Answer[]>;
};
/**
 * Ends a batch: stores what its commands are answered, with the last statements of the flow (`save`) and the COMMIT in one
 * message. Gives the answers of the whole batch.
 */
export type AnswerAll<C> = (answers: Map<C, Answer>, save?: () => Promise<unknown>) => Promise<Answer[]>;

/** Claims the keys of a batch with its first message, and stores the answers with its last. */
export function hotFlow<C extends Command, F = undefined>({
  name,
  failed,
  held,
  late,
  first,
  rebuild,
  run,
}: HotFlow<C, F>): Flow<C, Answer> {
  return {
    name,
    failed,
    ...(late && { late }),
    ...(held && {
      held: async (tx: Tx, projectId: string, commands: readonly C[]) =>
        new Map<C, LaneFailure>([...(await held(tx, commands)), ...(await heldKeys(tx, projectId, commands))]),
    }),
    run: async (tx, projectId, commands) => {
      const [{ fresh, stored }, read] = await together([
        claimKeys(tx, projectId, commands),
        first?.(tx, commands) as PromiseLike<F>,
      ]);
      const isWhole = fresh.length === commands.length;
      return run(tx, projectId, { commands: fresh, first: read as F, isWhole }, async (answers, save) => {
        const { kept, all } = await answersOf(tx, projectId, { commands, answers, stored, rebuild });
        return commitWith(tx, all, () => {
          // Sent first: what others wait for comes last. Told is first what the flow says of a failure.
          const stored = storeAnswers(tx, projectId, kept);
          return together([save?.(), stored]);
        });
      });
    },
  };
}
