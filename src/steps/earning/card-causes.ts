import type { Tx } from "../../db/db.ts";
import { type CardCause, dropCauses, takeCauses } from "../../resources/ledger/earnings/store.ts";
import { type Cause, isReturned } from "./earn-causes.ts";

/** What an order has done last, it does not do again before the other. */
export const OPPOSITE = {
  "card.order.paid": "card.order.returned",
  "card.order.returned": "card.order.paid",
} as const;
export const doneKey = (kind: CardCause, orderId: string): string => `${kind} ${orderId}`;
export const causeOf = ({ told }: Pick<Cause, "told">): CardCause | null =>
  isReturned(told) ? "card.order.returned" : told.kind === "customer.order.paid" ? "card.order.paid" : null;

type Done = { project: { id: string }; done: ReadonlySet<string>; causes: ReadonlyMap<string, string> };

/** Notes what orders have done last, and when: of those in `known` what is not so any more is dropped. */
export async function saveCauses(
  tx: Tx,
  { project, done, causes }: Done,
  known: readonly { kind: CardCause; id: string }[],
): Promise<void> {
  const gone = known.filter(({ kind, id }) => !done.has(doneKey(kind, id)));
  if (gone.length > 0) await dropCauses(tx, project.id, gone);
  const kinds = Object.keys(OPPOSITE) as CardCause[];
  const made = [...causes].flatMap(([id, created_at]) =>
    kinds.filter((kind) => done.has(doneKey(kind, id))).map((kind) => ({ kind, id, created_at })),
  );
  if (made.length > 0) await takeCauses(tx, project.id, made);
}
