import type { Catalog } from "../../catalog/catalog.ts";
import { requireMetadata } from "../../catalog/metadata.ts";
import { ApiError, invalid, notFound } from "../../core/errors.ts";
import { parseWindow } from "../../core/loyalty/card/window.ts";
import {
  benefitsOfEarnings,
  type Earning,
  parseEarnings,
  parseTrigger,
  walletsOfEarnings,
} from "../../core/loyalty/earning/earning-rule.ts";
import { parseUseLimits } from "../../core/loyalty/earning/use-limits.ts";
import { type LoyaltyMove, loyaltyInUse } from "../../core/loyalty/program/status.ts";
import type { WriteCtx } from "../../ctx.ts";
import type {
  EarningRuleCreate,
  EarningRuleShown,
  EarningRuleUpdate,
} from "../../resources/loyalty-v2/earning-rules/schema.ts";
import { type EarningRuleRow, earningRules, view } from "../../resources/loyalty-v2/earning-rules/store.ts";
import { lockConfiguration } from "../../steps/programs/lock-configuration.ts";
import { requireActiveReferences, requireEarnings, requireTrigger } from "../../steps/programs/loyalty-references.ts";
import { firstUse, programsUsing, requireKnown } from "../../steps/programs/loyalty-uses.ts";
import { componentSaver } from "../../steps/programs/save-component.ts";

const saver = componentSaver({
  resource: "earning_rule",
  store: earningRules,
  view,
  heldIn: (catalog) => catalog.earning_rules,
});

export async function createEarningRule(c: WriteCtx, sent: EarningRuleCreate): Promise<EarningRuleShown> {
  const catalog = await lockConfiguration(c);
  const status = sent.status ?? "DRAFT";
  const trigger = parseTrigger(sent.trigger);
  const earnings = parseEarnings(sent.earnings, trigger, () => c.newId("lernei"));
  const row = {
    project_id: c.project.id,
    id: c.newId("lern"),
    name: sent.name,
    status,
    trigger,
    earnings,
    error: sent.error ?? null,
    ...parseWindow(sent),
    trigger_limits: parseUseLimits(sent.trigger_limits, ".trigger_limits"),
    metadata: sent.metadata ?? {},
    created_at: c.now,
    updated_at: null,
  };
  requireMetadata(catalog, "vl_earning_rule", { metadata: row.metadata, on: "create" });
  requireTrigger(catalog, trigger);
  await requireUsable(c, catalog, row);
  return saver.insert(c, row);
}

/** What is not sent keeps its value, and null is what a new rule has. */
export async function updateEarningRule(c: WriteCtx, id: string, sent: EarningRuleUpdate): Promise<EarningRuleShown> {
  const catalog = await lockConfiguration(c);
  const before = requireKnown(catalog.earning_rules, "earning_rule", id);
  if (before.status !== "DRAFT" && sent.trigger !== undefined)
    throw invalid(`Payload must NOT have additional property 'trigger' when the status is ${before.status}`);
  const trigger = sent.trigger ? parseTrigger(sent.trigger) : before.trigger;
  // A new trigger takes other rules and effects, so what is kept is read again.
  const given = sent.earnings ?? (sent.trigger && before.earnings);
  const earnings = given && parseEarnings(given, trigger, () => c.newId("lernei"));
  const patch = {
    name: sent.name,
    trigger: sent.trigger && trigger,
    earnings,
    error: sent.error,
    ...parseWindow(sent, before),
    trigger_limits:
      sent.trigger_limits === undefined ? undefined : parseUseLimits(sent.trigger_limits, ".trigger_limits"),
    metadata: sent.metadata === null ? {} : sent.metadata,
  };
  if (patch.metadata) requireMetadata(catalog, "vl_earning_rule", { metadata: patch.metadata, on: "create" });
  if (sent.trigger) requireTrigger(catalog, trigger);
  if (sent.earnings && earnings) {
    requireItems(before.earnings, earnings, sent.earnings);
    await requireUsable(c, catalog, { status: before.status, earnings });
  }
  return saver.update(c, id, patch);
}

export const moveEarningRule = (c: WriteCtx, id: string, move: LoyaltyMove): Promise<EarningRuleShown> =>
  saver.move(c, { id, move }, (catalog, { earnings }) =>
    move === "activate" ? requireActiveReferences(catalog, usedBy(earnings)) : requireSpare(catalog, id, move),
  );

/** Deletes a rule that no program uses. */
export const removeEarningRule = (c: WriteCtx, id: string): Promise<EarningRuleShown> =>
  saver.remove(c, id, (catalog) => programsWith(catalog, id, () => true));

const programsWith = (catalog: Catalog, id: string, counts: Parameters<typeof firstUse>[1]) =>
  firstUse(new Map([["program", programsUsing(catalog, id)]]), counts);

/** A rule that a program which is no draft uses stays what it is; and one that is active keeps an active rule. */
function requireSpare(catalog: Catalog, id: string, move: Exclude<LoyaltyMove, "activate">): void {
  const use = move === "draft" ? programsWith(catalog, id, ({ status }) => status !== "DRAFT") : null;
  if (use) throw loyaltyInUse("earning_rule", id, use);
  for (const program of programsUsing(catalog, id).filter(({ status }) => status === "ACTIVE")) {
    const others = catalog.assignments_of.get(program.id)!.filter(({ component_id }) => component_id !== id);
    if (!others.some(({ component_id }) => catalog.earning_rules.get(component_id)?.status === "ACTIVE"))
      throw new ApiError("missing_active_earning_rule", {
        details: `The program ${program.id} is ACTIVE and has no other active earning rule`,
        resource_id: program.id,
        resource_type: "program",
      });
  }
}

/** What the earnings name is there; and what a rule uses that is not a draft is active. */
async function requireUsable(
  c: WriteCtx,
  catalog: Catalog,
  { status, earnings }: Pick<EarningRuleRow, "status" | "earnings">,
): Promise<void> {
  await requireEarnings(c, catalog, earnings);
  if (status !== "DRAFT") requireActiveReferences(catalog, usedBy(earnings));
}

const usedBy = (earnings: readonly Earning[]) => ({
  wallets: walletsOfEarnings(earnings),
  benefits: benefitsOfEarnings(earnings),
});

/** 404 for an earning that the rule does not have, 400 for one that is sent twice. */
function requireItems(before: readonly Earning[], after: readonly Earning[], sent: readonly { id?: string }[]): void {
  const known = new Set(before.map(({ id }) => id));
  const unknown = sent.find(({ id }) => id !== undefined && !known.has(id));
  if (unknown) throw notFound("earning", unknown.id!);
  const ids = after.map(({ id }) => id);
  if (new Set(ids).size < ids.length) throw invalid("Property .earnings must NOT have duplicate items");
}
