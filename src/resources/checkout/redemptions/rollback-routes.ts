import { commandOf, type HotCtx } from "../../../ctx.ts";
import { rollBack } from "../../../flows/roll-back/roll-back.ts";
import type { RollBackRequest } from "../../../flows/roll-back/state.ts";
import { hot } from "../../../http/route.ts";
import { ByRedemption, Redemption, RollbackBody, RollbackQuery, RolledBack } from "./schema.ts";

type Asking = HotCtx & {
  params: { redemptionId: string };
  query: RollbackQuery;
  body: RollbackBody;
};

async function askRollback(c: Asking, { takes_stacks }: Pick<RollBackRequest, "takes_stacks">) {
  const { query } = c;
  const body = c.body ?? {};
  return c.submit(rollBack, c.project.id, {
    ...(await commandOf(c)),
    redemption_id: c.params.redemptionId,
    takes_stacks,
    sent: { ...body, tracking_id: body.tracking_id ?? query.tracking_id },
    reason: body.reason ?? query.reason ?? null,
  });
}

export const rollbackRoutes = [
  hot(
    "POST /v1/redemptions/{redemptionId}/rollback",
    {
      id: "rollbackRedemption",
      summary: "Roll back a redemption",
      description:
        "Undoes one redemption: its code can be redeemed once more, credits and points go back where they came from.",
      params: ByRedemption,
      query: RollbackQuery,
      body: RollbackBody,
      ok: Redemption,
    },
    (c) => askRollback(c, { takes_stacks: false }),
  ),
  hot(
    "POST /v1/redemptions/{redemptionId}/rollbacks",
    {
      id: "rollbackStackedRedemptions",
      summary: "Roll back a stack",
      description:
        "Undoes all redemptions of a stack, named by its parent redemption. Takes a redemption without parent too.",
      params: ByRedemption,
      query: RollbackQuery,
      body: RollbackBody,
      ok: RolledBack,
    },
    (c) => askRollback(c, { takes_stacks: true }),
  ),
];
