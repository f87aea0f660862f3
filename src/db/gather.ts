import { isPassing } from "./db.ts";

/**
 * Answers many small questions with one statement. What is asked in the same turn of the event loop goes together, and
 * while `inFlightMax` statements are out, questions gather. `load` answers all of its questions, in order.
 * A question that breaks the statement (a stranger may send any text) fails alone: it is found by halving.
 */
export function createGather<Q, A>(load: (questions: readonly Q[]) => Promise<readonly A[]>, inFlightMax = 2) {
  type Waiting = { question: Q; resolve(answer: A): void; reject(error: unknown): void };
  let waiting: Waiting[] = [];
  let inFlight = 0;
  let scheduled = false;

  const send = (): void => {
    scheduled = false;
    if (inFlight >= inFlightMax || waiting.length === 0) return;
    const batch = waiting;
    waiting = [];
    inFlight += 1;
    void settle(batch).finally(() => {
      inFlight -= 1;
      send();
    });
  };

  const settle = async (batch: readonly Waiting[]): Promise<void> => {
    try {
      const answers = await load(batch.map(({ question }) => question));
      for (const [i, { resolve }] of batch.entries()) resolve(answers[i]!);
    } catch (error) {
      if (batch.length === 1 || isPassing(error)) {
        for (const { reject } of batch) reject(error);
        return;
      }
      const middle = Math.ceil(batch.length / 2);
      for (const half of [batch.slice(0, middle), batch.slice(middle)]) await settle(half);
    }
  };

  return (question: Q): Promise<A> =>
    new Promise((resolve, reject) => {
      waiting.push({ question, resolve, reject });
      if (scheduled || inFlight >= inFlightMax) return;
      scheduled = true;
      queueMicrotask(send);
    });
}
