import type { Static } from "typebox";
import { formulaOf } from "../../catalog/formulas.ts";
import { orderFromJson } from "../../core/redeem/order-shown.ts";
import { hashesIn, type Inputs, inputsOf, type Receipt, replay } from "../../core/redeem/receipt.ts";
import { receiptFrom } from "../../core/redeem/receipt-kept.ts";
import { spend } from "../../core/steps.ts";
import { decide } from "../../core/validate/decide.ts";
import { traceDecision } from "../../core/validate/trace.ts";
import type { Ctx } from "../../ctx.ts";
import type { ReceiptReplay, Receipt as ReceiptShown } from "../../resources/checkout/receipts/schema.ts";
import { getReceipt, loadFragments } from "../../resources/checkout/receipts/store.ts";
import { isHashOf } from "../../steps/checkout/receipts.ts";

type Kept = {
  head: { redemption_id: string; created_at: string };
  receipt: Receipt;
  inputs: Inputs;
  fragments: ReadonlyMap<string, unknown>;
  /** Pieces of configuration whose text is not what it was. */
  altered: string[];
};

const CHARACTERS_PER_STEP = 50;

async function loadReceipt({ db, project, steps }: Ctx, redemptionId: string): Promise<Kept> {
  const { receipt: kept, order_now, ...row } = await getReceipt(db, project.id, redemptionId);
  const receipt = receiptFrom(kept, row, order_now && orderFromJson(order_now));
  const rows = await loadFragments(db, project.id, hashesIn(receipt));
  // The pieces of configuration are read anew, and so are the rules in them.
  for (const { text } of rows) spend(steps, Math.ceil(text.length / CHARACTERS_PER_STEP));
  const fragments = new Map(rows.map((row) => [row.hash, JSON.parse(row.text) as unknown]));
  const inputs = inputsOf(receipt, { find: (hash) => fragments.get(hash), formula: formulaOf });
  return {
    head: { redemption_id: row.id, created_at: row.created_at },
    receipt,
    inputs: { ...inputs, situation: { ...inputs.situation, steps } },
    fragments,
    altered: rows.flatMap((row) => (isHashOf(row.hash, row.text) ? [] : [row.hash])),
  };
}

/** What a redemption was decided on, with the reasons worked out again. */
export async function showReceipt(c: Ctx, redemptionId: string): Promise<Static<typeof ReceiptShown>> {
  const { head, receipt, inputs, fragments } = await loadReceipt(c, redemptionId);
  const { candidates, order, settings, situation } = inputs;
  const { request, facts, configuration, result } = receipt;
  return {
    ...head,
    request,
    facts,
    configuration: { ...configuration, fragments: Object.fromEntries(fragments) },
    trace: traceDecision(decide(candidates, order, { settings, situation }), { settings, situation }),
    result,
    object: "receipt",
  };
}

/** Decides again, on what is kept. */
export async function replayReceipt(c: Ctx, redemptionId: string): Promise<Static<typeof ReceiptReplay>> {
  const { head, receipt, inputs, altered } = await loadReceipt(c, redemptionId);
  const { same, ...results } = replay(receipt, inputs);
  return {
    redemption_id: head.redemption_id,
    same: same && altered.length === 0,
    ...results,
    ...(altered.length > 0 && { altered }),
    object: "receipt_replay",
  };
}
