import { CAMPAIGN_CAUSES, type CampaignCause } from "../../core/loyalty/earning/triggers.ts";
import type { Tx } from "../../db/db.ts";
import { dropCauses, takeCauses } from "../../resources/ledger/earnings/store.ts";

/** What an order has done last: it does not do it again before the opposite. */
export const doneKey = (cause: CampaignCause, orderId: string): string => `${cause} ${orderId}`;

type Done = { project: { id: string }; done: ReadonlySet<string>; causes: ReadonlyMap<string, string> };

/** Notes what orders have done last, and when: of those in `known` what is not so any more is dropped. */
export async function saveCauses(
  tx: Tx,
  { project, done, causes }: Done,
  known: readonly { kind: CampaignCause; id: string }[],
): Promise<void> {
  const gone = known.filter(({ kind, id }) => !done.has(doneKey(kind, id)));
  if (gone.length > 0) await dropCauses(tx, project.id, gone);
  const made = [...causes].flatMap(([id, created_at]) =>
    CAMPAIGN_CAUSES.filter((kind) => done.has(doneKey(kind, id))).map((kind) => ({ kind, id, created_at })),
  );
  if (made.length > 0) await takeCauses(tx, project.id, made);
}
