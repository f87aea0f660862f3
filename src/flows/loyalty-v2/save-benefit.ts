import type { Catalog } from "../../catalog/catalog.ts";
import { ApiError } from "../../core/errors.ts";
import { benefitsOfEarnings } from "../../core/loyalty/earning/earning-rule.ts";
import { rateOf } from "../../core/loyalty/earning/proportional.ts";
import { type BenefitConfig, stockOf, storedBenefit, walletOfBenefit } from "../../core/loyalty/program/benefit.ts";
import { refuse } from "../../core/loyalty/program/period.ts";
import { inUse, type LoyaltyMove, MOVED, statusAfter } from "../../core/loyalty/program/status.ts";
import type { WriteCtx } from "../../ctx.ts";
import { type EventKind, record } from "../../events/events.ts";
import type { BenefitCreate, BenefitShown, BenefitUpdate } from "../../resources/loyalty-v2/benefits/schema.ts";
import { type BenefitRow, benefits, view } from "../../resources/loyalty-v2/benefits/store.ts";
import { lockConfiguration } from "../../steps/programs/lock-configuration.ts";
import {
  requireActive,
  requireCampaign,
  requireComponents,
  requireMaterial,
  requireTargets,
} from "../../steps/programs/loyalty-references.ts";
import { requireKnown } from "../../steps/programs/loyalty-uses.ts";

export async function createBenefit(
  c: WriteCtx,
  { name, status, stock, ...sent }: BenefitCreate,
): Promise<BenefitShown> {
  const catalog = await lockConfiguration(c);
  const { type, config } = storedBenefit(sent);
  const row = {
    project_id: c.project.id,
    id: c.newId("lben"),
    name,
    type,
    status: status ?? "DRAFT",
    config,
    stock_quantity: stockOf(stock),
    created_at: c.now,
    updated_at: null,
  };
  await requireReferences(c, catalog, config);
  if (row.status === "ACTIVE") requireActive(catalog, { wallets: walletsOf(config) });
  return saved(c, "vl.benefit.created", await benefits.insert(c.db, row));
}

/** What is not sent keeps its value. A new type, or something new of the old one, is checked as a whole. */
export async function updateBenefit(
  c: WriteCtx,
  id: string,
  { name, stock, ...sent }: BenefitUpdate,
): Promise<BenefitShown> {
  const catalog = await lockConfiguration(c);
  const before = requireKnown(catalog.benefits, "benefit", id);
  const [other] = Object.keys(sent);
  if (before.status !== "DRAFT" && other !== undefined)
    throw refuse(`Payload must NOT have additional property '${other}' when the status is ${before.status}`);
  const type = sent.type ?? before.type;
  const kept = type === before.type ? before.config : {};
  const given = other === undefined ? null : storedBenefit({ ...kept, ...sent, type });
  if (given) {
    await requireReferences(c, catalog, given.config);
    requireActive(catalog, { wallets: walletsOf(given.config) });
  }
  const stock_quantity = stock === undefined ? undefined : stockOf(stock);
  const patch = { name, ...given, stock_quantity, updated_at: c.now };
  return saved(c, "vl.benefit.updated", await benefits.update(c.db, c.project.id, id, patch));
}

export async function moveBenefit(
  c: WriteCtx,
  id: string,
  move: Exclude<LoyaltyMove, "deactivate">,
): Promise<BenefitShown> {
  const catalog = await lockConfiguration(c);
  const before = requireKnown(catalog.benefits, "benefit", id);
  const status = statusAfter("benefit", move, before);
  if (move === "activate") requireActive(catalog, { wallets: walletsOf(before.config) });
  else {
    const active = rulesThatGive(catalog, id).filter((rule) => rule.status === "ACTIVE");
    if (active.length > 0)
      throw new ApiError("connected_active_earning_rule", {
        details: `The benefit ${id} is given by active earning rules`,
        resource_id: id,
        resource_type: "benefit",
        related_object_ids: active.map((rule) => rule.id),
        related_object_type: "earning_rule",
      });
  }
  const row = await benefits.update(c.db, c.project.id, id, { status, updated_at: c.now });
  return saved(c, `vl.benefit.${MOVED[move]}`, row);
}

/** Deletes a benefit that no earning rule gives. */
export async function removeBenefit(c: WriteCtx, id: string): Promise<BenefitShown> {
  const catalog = await lockConfiguration(c);
  requireKnown(catalog.benefits, "benefit", id);
  const rules = rulesThatGive(catalog, id).map((rule) => rule.id);
  if (rules.length > 0) throw inUse("benefit", id, { type: "earning_rule", ids: rules });
  const gone = { status: "DELETED", updated_at: c.now };
  return saved(c, "vl.benefit.deleted", await benefits.update(c.db, c.project.id, id, gone));
}

const rulesThatGive = ({ earning_rules }: Catalog, id: string) =>
  [...earning_rules.values()].filter(({ earnings }) => benefitsOfEarnings(earnings).includes(id));

const walletsOf = (config: BenefitConfig): string[] => {
  const wallet = walletOfBenefit(config);
  return wallet === null ? [] : [wallet];
};

async function requireReferences(c: WriteCtx, catalog: Catalog, config: BenefitConfig): Promise<void> {
  requireComponents(catalog, { wallets: walletsOf(config) });
  if ("points_proportional" in config)
    await requireTargets(c, catalog, rateOf(config.points_proportional).applicable_to ?? []);
  if ("material" in config) await requireMaterial(c, config.material);
  if ("digital" in config) requireCampaign(catalog, config.digital);
}

async function saved(c: WriteCtx, kind: EventKind, row: BenefitRow): Promise<BenefitShown> {
  c.changed("benefit", row.id);
  const benefit = view(row);
  await record(c, [{ kind, subject_id: row.id, payload: { benefit } }]);
  return benefit;
}
