import { transaction } from "../db/batches/commit.ts";
import type { Tx } from "../db/db.ts";
import { addTalliesTogether, loadScatteredTallies } from "../resources/checkout/redemptions/tally-store.ts";
import {
  addValidationTalliesTogether,
  loadScatteredValidationTallies,
} from "../resources/checkout/validations/tally-store.ts";
import type { Job, JobCtx } from "./job.ts";

/** Adds the totals of redemptions and validations together, which every batch adds rows to. Their sums stay the same. */
export const compactTallies: Job = {
  name: "compact-tallies",
  cron: "* * * * *",
  run: async (c) => {
    const redeemed = await c.db<{ id: string }[]>`
      select distinct project_id as id from redemption_tallies
      group by project_id, object, result, campaign_id having count(*) > 1`;
    for (const { id } of redeemed)
      for (const kind of await loadScatteredTallies(c.db, id))
        await addAll(c, (tx) => addTalliesTogether(tx, id, kind));
    const validated = await c.db<{ id: string }[]>`
      select distinct project_id as id from validation_tallies
      group by project_id, campaign_id, day having count(*) > 1`;
    for (const { id } of validated)
      for (const kind of await loadScatteredValidationTallies(c.db, id))
        await addAll(c, (tx) => addValidationTalliesTogether(tx, id, kind));
  },
};

async function addAll({ db, signal }: JobCtx, add: (tx: Tx) => Promise<boolean>): Promise<void> {
  let isMore = true;
  while (isMore && !signal?.aborted) isMore = await transaction(db, add);
}
