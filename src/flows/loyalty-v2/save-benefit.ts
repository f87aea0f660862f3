import type { Catalog } from "../../catalog/catalog.ts";
import { ApiError, invalid } from "../../core/errors.ts";
import { benefitsOfEarnings } from "../../core/loyalty/earning/earning-rule.ts";
import { rateOf } from "../../core/loyalty/earning/proportional.ts";
import { type BenefitConfig, parseBenefit, stockOf, walletOfBenefit } from "../../core/loyalty/program/benefit.ts";
import type { LoyaltyMove } from "../../core/loyalty/program/status.ts";
import type { WriteCtx } from "../../ctx.ts";
import type { BenefitCreate, BenefitShown, BenefitUpdate } from "../../resources/loyalty-v2/benefits/schema.ts";
import { benefits, view } from "../../resources/loyalty-v2/benefits/store.ts";
import { lockConfiguration } from "../../steps/programs/lock-configuration.ts";
import {
  requireActiveReferences,
  requireCampaign,
  requireComponents,
  requireMaterial,
  requireTargets,
} from "../../steps/programs/loyalty-references.ts";
import { requireKnown } from "../../steps/programs/loyalty-uses.ts";
import { componentSaver } from "../../steps/programs/save-component.ts";

const saver = componentSaver({ resource: "benefit", store: benefits, view, heldIn: (catalog) => catalog.benefits });

export async function createBenefit(
  c: WriteCtx,
  { name, status, stock, ...sent }: BenefitCreate,
): Promise<BenefitShown> {
  const catalog = await lockConfiguration(c);
  const { type, config } = parseBenefit(sent);
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
  if (row.status === "ACTIVE") requireActiveReferences(catalog, { wallets: walletsOf(config) });
  return saver.insert(c, row);
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
    throw invalid(`Payload must NOT have additional property '${other}' when the status is ${before.status}`);
  const type = sent.type ?? before.type;
  const kept = type === before.type ? before.config : {};
  const given = other === undefined ? null : parseBenefit({ ...kept, ...sent, type });
  if (given) {
    await requireReferences(c, catalog, given.config);
    requireActiveReferences(catalog, { wallets: walletsOf(given.config) });
  }
  const stock_quantity = stock === undefined ? undefined : stockOf(stock);
  return saver.update(c, id, { name, ...given, stock_quantity });
}

export const moveBenefit = (c: WriteCtx, id: string, move: Exclude<LoyaltyMove, "deactivate">): Promise<BenefitShown> =>
  saver.move(c, { id, move }, (catalog, { config }) => {
    if (move === "activate") return requireActiveReferences(catalog, { wallets: walletsOf(config) });
    const active = rulesThatGive(catalog, id).filter((rule) => rule.status === "ACTIVE");
    if (active.length > 0)
      throw new ApiError("connected_active_earning_rule", {
        details: `The benefit ${id} is given by active earning rules`,
        resource_id: id,
        resource_type: "benefit",
        related_object_ids: active.map((rule) => rule.id),
        related_object_type: "earning_rule",
      });
  });

/** Deletes a benefit that no earning rule gives. */
export const removeBenefit = (c: WriteCtx, id: string): Promise<BenefitShown> =>
  saver.remove(c, id, (catalog) => {
    const ids = rulesThatGive(catalog, id).map((rule) => rule.id);
    return ids.length > 0 ? { type: "earning_rule", ids } : null;
  });

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
