/** A call as its client saw it. Without an output its outcome is unknown: it may have happened at any time, or never. */
export type Operation<Input, Output> = { input: Input; output: Output | null; start: number; end: number };

/** What one object may do, one call after the other. */
export type Model<State, Input, Output> = {
  initial: State;
  /** The state after a call that gave this output, or null when it could not have. A null output fits anything. */
  step(state: State, input: Input, output: Output | null): State | null;
  /** The same text for the same state. */
  nameOf(state: State): string;
};

type Node = { n: number; isCall: boolean; before: Node | null; next: Node | null; answer: Node | null };

/**
 * Looks for an order of the calls in which each happens at one moment between its beginning and its end, and all outputs
 * are those of the model: Wing and Gong's search with Lowe's memory of what was tried. Returns that order, or null.
 * Objects are independent of each other, so each has a history of its own.
 */
export function linearize<State, Input, Output>(
  { initial, step, nameOf }: Model<State, Input, Output>,
  history: readonly Operation<Input, Output>[],
): number[] | null {
  const head = linked(history);
  const known = history.filter(({ output }) => output !== null).length;
  const tried = new Set<string>();
  const done = new Uint8Array(history.length);
  const stack: { node: Node; state: State }[] = [];
  let state = initial;
  let answered = 0;
  let node = head.next;
  while (answered < known) {
    if (node?.isCall) {
      const { input, output } = history[node.n]!;
      const after = step(state, input, output);
      done[node.n] = 1;
      const isNew = after !== null && !tried.has(nameTried(done, nameOf(after)));
      if (isNew) {
        tried.add(nameTried(done, nameOf(after)));
        stack.push({ node, state });
        state = after;
        if (output !== null) answered += 1;
        lift(node);
        node = head.next;
        continue;
      }
      done[node.n] = 0;
      node = node.next;
      continue;
    }
    // The answer of a call that has not happened yet, or the end: something before must have happened otherwise.
    const last = stack.pop();
    if (!last) return null;
    state = last.state;
    done[last.node.n] = 0;
    if (history[last.node.n]!.output !== null) answered -= 1;
    unlift(last.node);
    node = last.node.next;
  }
  return stack.map(({ node: one }) => one.n);
}

const nameTried = (done: Uint8Array, state: string) => `${Buffer.from(done).toString("latin1")} ${state}`;

/** Calls and answers in the order of time. An unknown outcome has no answer. */
function linked(history: readonly Operation<unknown, unknown>[]): Node {
  const ends = history.flatMap(({ start, end, output }, n) => [
    { n, at: start, isCall: true },
    ...(output === null ? [] : [{ n, at: end, isCall: false }]),
  ]);
  // At the same moment a call comes first: then the two overlap.
  ends.sort((a, b) => a.at - b.at || Number(b.isCall) - Number(a.isCall));
  const head: Node = { n: -1, isCall: false, before: null, next: null, answer: null };
  const calls = new Map<number, Node>();
  let last = head;
  for (const { n, isCall } of ends) {
    const node: Node = { n, isCall, before: last, next: null, answer: null };
    if (isCall) calls.set(n, node);
    else calls.get(n)!.answer = node;
    last.next = node;
    last = node;
  }
  return head;
}

function lift(call: Node): void {
  for (const node of [call, call.answer]) {
    if (!node) continue;
    node.before!.next = node.next;
    if (node.next) node.next.before = node.before;
  }
}

function unlift(call: Node): void {
  for (const node of [call.answer, call]) {
    if (!node) continue;
    node.before!.next = node;
    if (node.next) node.next.before = node;
  }
}

/** A code or a card: how often it can be redeemed, and what it holds. */
export type Card = { redeemed: number; quantity: number | null; balance: number | null };
export type CardInput =
  | { kind: "redeem"; credits: number }
  /** Takes back one redemption of so many credits, which must have happened. */
  | { kind: "roll back"; credits: number }
  | { kind: "read" };
export type CardOutput = "done" | "refused" | { redeemed: number; balance: number | null };

const canRedeem = ({ redeemed, quantity, balance }: Card, credits: number) =>
  (quantity === null || redeemed < quantity) && (balance === null || balance >= credits);

export const cardModel = (initial: Card): Model<Card, CardInput, CardOutput> => ({
  initial,
  nameOf: ({ redeemed, balance }) => `${redeemed} ${balance}`,
  step: (card, input, output) => {
    if (input.kind === "read") {
      if (output === null) return card;
      if (typeof output === "string") return null;
      return output.redeemed === card.redeemed && output.balance === card.balance ? card : null;
    }
    const by = input.kind === "redeem" ? 1 : -1;
    const can = by === 1 ? canRedeem(card, input.credits) : card.redeemed > 0;
    if (output === "refused" || !can) return output !== "done" && !can ? card : null;
    const balance = card.balance === null ? null : card.balance - by * input.credits;
    return { ...card, redeemed: card.redeemed + by, balance };
  },
});
