/**
 * Answers many small questions with one statement. What is asked in the same turn of the event loop goes together, and
 * while `inFlightMax` statements are out, questions gather. `load` answers all of its questions, in order.
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
    load(batch.map(({ question }) => question))
      .then(
        (answers) => batch.forEach(({ resolve }, i) => void resolve(answers[i]!)),
        (error) => batch.forEach(({ reject }) => void reject(error)),
      )
      .finally(() => {
        inFlight -= 1;
        send();
      });
  };

  return (question: Q): Promise<A> =>
    new Promise((resolve, reject) => {
      waiting.push({ question, resolve, reject });
      if (scheduled || inFlight >= inFlightMax) return;
      scheduled = true;
      queueMicrotask(send);
    });
}
