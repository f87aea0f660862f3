import type { Catalog } from "../../catalog/catalog.ts";
import { requireMetadata } from "../../catalog/metadata.ts";
import { ApiError, notFound } from "../../core/errors.ts";
import { readWindow } from "../../core/loyalty/card/window.ts";
import {
  benefitsOfEarnings,
  type Earning,
  storedEarnings,
  storedTrigger,
  walletsOfEarnings,
} from "../../core/loyalty/earning/earning-rule.ts";
import { storedLimits } from "../../core/loyalty/earning/use-limits.ts";
import { refuse } from "../../core/loyalty/program/period.ts";
import { inUse, type LoyaltyMove, MOVED, statusAfter } from "../../core/loyalty/program/status.ts";
import type { WriteCtx } from "../../ctx.ts";
import { type EventKind, record } from "../../events/events.ts";
import type {
  EarningRuleCreate,
  EarningRuleShown,
  EarningRuleUpdate,
} from "../../resources/loyalty-v2/earning-rules/schema.ts";
import { type EarningRuleRow, earningRules, view } from "../../resources/loyalty-v2/earning-rules/store.ts";
import { lockConfiguration } from "../../steps/programs/lock-configuration.ts";
import { requireActive, requireEarnings, requireTrigger } from "../../steps/programs/loyalty-references.ts";
import { programsUsing, requireKnown } from "../../steps/programs/loyalty-uses.ts";

export async function createEarningRule(c: WriteCtx, sent: EarningRuleCreate): Promise<EarningRuleShown> {
  const catalog = await lockConfiguration(c);
  const status = sent.status ?? "DRAFT";
  const trigger = storedTrigger(sent.trigger);
  const earnings = storedEarnings(sent.earnings, trigger, () => c.newId("lernei"));
  const row = {
    project_id: c.project.id,
    id: c.newId("lern"),
    name: sent.name,
    status,
    trigger,
    earnings,
    error: sent.error ?? null,
    ...readWindow(sent),
    trigger_limits: storedLimits(sent.trigger_limits, ".trigger_limits"),
    metadata: sent.metadata ?? {},
    created_at: c.now,
    updated_at: null,
  };
  requireMetadata(catalog, "vl_earning_rule", { metadata: row.metadata, on: "create" });
  requireTrigger(catalog, trigger);
  await requireUsable(c, catalog, row);
  return saved(c, "vl.earning_rule.created", await earningRules.insert(c.db, row));
}

/** What is not sent keeps its value, and null is what a new rule has. */
export async function updateEarningRule(c: WriteCtx, id: string, sent: EarningRuleUpdate): Promise<EarningRuleShown> {
  const catalog = await lockConfiguration(c);
  const before = requireKnown(catalog.earning_rules, "earning_rule", id);
  if (before.status !== "DRAFT" && sent.trigger !== undefined)
    throw refuse(`Payload must NOT have additional property 'trigger' when the status is ${before.status}`);
  const trigger = sent.trigger ? storedTrigger(sent.trigger) : before.trigger;
  // A new trigger takes other rules and effects, so what is kept is read again.
  const given = sent.earnings ?? (sent.trigger && before.earnings);
  const earnings = given && storedEarnings(given, trigger, () => c.newId("lernei"));
  const patch = {
    name: sent.name,
    trigger: sent.trigger && trigger,
    earnings,
    error: sent.error,
    ...readWindow(sent, before),
    trigger_limits:
      sent.trigger_limits === undefined ? undefined : storedLimits(sent.trigger_limits, ".trigger_limits"),
    metadata: sent.metadata === null ? {} : sent.metadata,
    updated_at: c.now,
  };
  if (patch.metadata) requireMetadata(catalog, "vl_earning_rule", { metadata: patch.metadata, on: "create" });
  if (sent.trigger) requireTrigger(catalog, trigger);
  if (sent.earnings && earnings) {
    requireItems(before.earnings, earnings, sent.earnings);
    await requireUsable(c, catalog, { status: before.status, earnings });
  }
  return saved(c, "vl.earning_rule.updated", await earningRules.update(c.db, c.project.id, id, patch));
}

export async function moveEarningRule(c: WriteCtx, id: string, move: LoyaltyMove): Promise<EarningRuleShown> {
  const catalog = await lockConfiguration(c);
  const before = requireKnown(catalog.earning_rules, "earning_rule", id);
  const status = statusAfter("earning_rule", move, before);
  if (move === "activate") requireActive(catalog, usedBy(before.earnings));
  else requireSpare(catalog, id, move);
  const row = await earningRules.update(c.db, c.project.id, id, { status, updated_at: c.now });
  return saved(c, `vl.earning_rule.${MOVED[move]}`, row);
}

/** Deletes a rule that no program uses. It stays for what it earned; nothing reads it any more. */
export async function removeEarningRule(c: WriteCtx, id: string): Promise<EarningRuleShown> {
  const catalog = await lockConfiguration(c);
  requireKnown(catalog.earning_rules, "earning_rule", id);
  const programs = programsUsing(catalog, id);
  if (programs.length > 0) throw inUse("earning_rule", id, usedIn(programs));
  const gone = { status: "DELETED", updated_at: c.now };
  return saved(c, "vl.earning_rule.deleted", await earningRules.update(c.db, c.project.id, id, gone));
}

const usedIn = (programs: readonly { id: string }[]) => ({
  type: "program",
  ids: programs.map(({ id }) => id).sort(),
});

/** A rule that a program which is no draft uses stays what it is; and one that is active keeps an active rule. */
function requireSpare(catalog: Catalog, id: string, move: Exclude<LoyaltyMove, "activate">): void {
  const programs = programsUsing(catalog, id).filter(({ status }) => status !== "DRAFT");
  if (move === "draft" && programs.length > 0) throw inUse("earning_rule", id, usedIn(programs));
  for (const program of programs.filter(({ status }) => status === "ACTIVE")) {
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
  if (status !== "DRAFT") requireActive(catalog, usedBy(earnings));
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
  if (new Set(ids).size < ids.length) throw refuse("Property .earnings must NOT have duplicate items");
}

async function saved(c: WriteCtx, kind: EventKind, row: EarningRuleRow): Promise<EarningRuleShown> {
  c.changed("earning_rule", row.id);
  const earning_rule = view(row);
  await record(c, [{ kind, subject_id: row.id, payload: { earning_rule } }]);
  return earning_rule;
}
