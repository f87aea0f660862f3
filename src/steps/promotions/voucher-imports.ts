import { isDeepStrictEqual } from "node:util";
import type { Catalog } from "../../catalog/catalog.ts";
import { type BulkOutcome, isRefused } from "../../core/bulk/entry.ts";
import { codeFault, foldCode, trimCode } from "../../core/codes/code.ts";
import { unitTypesOf } from "../../core/discounts/discount.ts";
import { ApiError, type ErrorBody, errorBody, invalid, notFound } from "../../core/errors.ts";
import { metadataFault } from "../../core/metadata/check.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import { settingsOf, type VoucherSettings } from "../../core/vouchers/settings.ts";
import { mergeSettings, voucherTypeOf } from "../../core/vouchers/worth.ts";
import { record } from "../../events/events.ts";
import { categoriesNamed } from "../../resources/catalogue/categories/named-store.ts";
import { addToVouchersCount, type Campaign, loadCampaigns } from "../../resources/promotions/campaigns/store.ts";
import { insertImportedVouchers } from "../../resources/promotions/vouchers/copy-store.ts";
import type { VoucherImport } from "../../resources/promotions/vouchers/schema.ts";
import { saveImportedQuantities } from "../../resources/promotions/vouchers/state-store.ts";
import {
  lockManyVouchers,
  updateVouchers,
  voucherNamed,
  vouchersById,
} from "../../resources/promotions/vouchers/store.ts";
import type { ImportCtx } from "../bulk/imports.ts";
import { openGiftCards, saveGiftCards, spendBefore } from "./gift-cards.ts";
import { missingUnits, requireDiscount, requireValidity } from "./settings.ts";
import { showAllWritten, told } from "./voucher-view.ts";
import { metadataOf, settingsIn } from "./vouchers.ts";

/** What a new code is to be, with what was redeemed of it before. */
type ImportedVoucher = { wanted: WantedVoucher; redeemed_quantity: number; redeemed_amount: number };
type WantedVoucher = Parameters<typeof insertImportedVouchers>[2][number];
/** What a turn knows and plans. */
type ImportPlan = {
  campaign: Campaign | null;
  campaigns: ReadonlyMap<string, Campaign>;
  categoryOf(name: string): string | undefined;
  missing: ReadonlySet<string>;
  made: Map<string, ImportedVoucher>;
  changed: Map<string, VoucherRow>;
};

/**
 * Saves codes of a turn of an import, in a number of statements that does not depend on how many they are. Rows of a file
 * change codes that are there; an object of a list that is there already is refused.
 */
export async function saveImportedVouchers(c: ImportCtx, values: readonly VoucherImport[]): Promise<BulkOutcome[]> {
  const locked = await lockManyVouchers(c.db, c.project, [...new Set(values.map(({ code }) => code))]);
  const plan = await openPlan(c, values, locked);
  const find = voucherNamed(c.project, locked);
  const planned = values.map((value) => planVoucher(c, plan, value, find(value.code)));
  const inserted = await insertPlanned(c, plan);
  const isRepeated = planned.some((one) => "repeats" in one);
  const ids = isRepeated || c.options.webhooks_enable ? inserted.map(({ id }) => id) : [];
  const made = ids.length > 0 ? await vouchersById(c.db, c.project.id, ids) : [];
  const byCode = new Map(made.map((row) => [row.code_folded, row]));
  const isIn = new Set(inserted.map(({ code_folded }) => code_folded));
  // A row whose code an earlier row made changes that code, as it would in the next turn: turns end anywhere.
  const outcomes = planned.map((one, n): BulkOutcome => {
    const folded = "repeats" in one ? one.repeats : one.makes;
    if (folded !== undefined && !isIn.has(folded))
      return { found: false, refused: taken(plan.made.get(folded)!.wanted.code) };
    return "repeats" in one ? changeVoucher(c, plan, values[n]!, byCode.get(one.repeats)!) : one.outcome;
  });
  await updateVouchers(c.db, c.project.id, [...plan.changed.values()]);
  await tellOfImported(c, plan, made);
  return outcomes;
}

async function openPlan(
  c: ImportCtx,
  values: readonly VoucherImport[],
  locked: readonly VoucherRow[],
): Promise<ImportPlan> {
  const { campaign_id } = c.options;
  const ids = new Set([...locked.flatMap((row) => row.campaign_id ?? []), ...(campaign_id ? [campaign_id] : [])]);
  const campaigns = new Map((await loadCampaigns(c.db, c.project.id, [...ids])).map((one) => [one.id, one]));
  const names = [...new Set(values.flatMap(({ category }) => category || []))];
  const categories = await categoriesNamed(
    c.db,
    c.project.id,
    names.map((name) => ({ id: c.newId("cat"), name, created_at: c.now })),
  );
  for (const id of categories.created) c.changed("category", id);
  const discounts = values.flatMap(({ discount }) => (discount ? [discount as never] : []));
  return {
    campaign: campaign_id === undefined ? null : (campaigns.get(campaign_id) ?? null),
    campaigns,
    categoryOf: (name) => categories.idOf.get(name),
    missing: new Set(await missingUnits(c, c.catalog, discounts)),
    made: new Map(),
    changed: new Map(),
  };
}

const taken = (code: string): ErrorBody =>
  errorBody("duplicate_found", { details: `Duplicated voucher exists with id ${code}` });

/** What becomes of a code: it `makes` the code of that folded form, or it `repeats` one that an earlier row makes. */
type PlannedVoucher = { outcome: BulkOutcome; makes?: string } | { repeats: string };

function planVoucher(
  c: ImportCtx,
  plan: ImportPlan,
  value: VoucherImport,
  row: VoucherRow | undefined,
): PlannedVoucher {
  const code = trimCode(value.code);
  const folded = foldCode(code, c.project.case_sensitive_codes);
  if (row) return { outcome: changeVoucher(c, plan, value, row) };
  if (plan.made.has(folded)) return c.isCsv ? { repeats: folded } : { outcome: { found: false, refused: taken(code) } };
  const outcome = outcomeOf(false, () => {
    requireCampaign(c, plan);
    plan.made.set(folded, newVoucher(c, plan, { ...value, code }));
  });
  return isRefused(outcome) ? { outcome } : { outcome, makes: folded };
}

function changeVoucher(c: ImportCtx, plan: ImportPlan, value: VoucherImport, row: VoucherRow): BulkOutcome {
  return outcomeOf(true, () => {
    requireCampaign(c, plan);
    if (!c.isCsv) throw new ApiError("duplicate_found", { details: taken(trimCode(value.code)).details! });
    plan.changed.set(row.id, changedVoucher(c, plan, value, plan.changed.get(row.id) ?? row));
  });
}

/** An error of the interface is a refusal of this code only. */
function outcomeOf(found: boolean, plan: () => void): BulkOutcome {
  try {
    plan();
    return { found };
  } catch (error) {
    if (error instanceof ApiError) return { found, refused: error.body };
    throw error;
  }
}

function requireCampaign({ options: { campaign_id } }: ImportCtx, { campaign }: ImportPlan): void {
  if (campaign_id !== undefined && !campaign) throw notFound("campaign", campaign_id);
}

function newVoucher(c: ImportCtx, plan: ImportPlan, value: VoucherImport): ImportedVoucher {
  const { campaign } = plan;
  const fault = codeFault(value.code) ?? codeFault(foldCode(value.code, c.project.case_sensitive_codes));
  if (fault !== null) throw invalid(fault);
  const found = voucherTypeOf(value, campaign?.voucher_type ?? null);
  if ("fault" in found) throw invalid(found.fault);
  const settings = settingsIn(c, c.catalog, value as never, campaign);
  requireUnitsThere(plan, settings);
  const { redeemed_quantity, redeemed_amount } = value.redemption ?? {};
  const gift = (settings ?? (campaign && settingsOf({ settings: null, template_version: null }, campaign)))?.gift;
  if (redeemed_amount && (found.type !== "GIFT_VOUCHER" || redeemed_amount > (gift?.amount ?? 0)))
    throw invalid("What was redeemed of a code must be part of what it is worth, and is for gift cards only");
  return {
    wanted: {
      id: c.newId("v"),
      code: value.code,
      code_folded: foldCode(value.code, c.project.case_sensitive_codes),
      campaign_id: campaign?.id ?? null,
      type: found.type,
      settings,
      category_id: categoryIn(c.catalog, plan, value) ?? null,
      active: value.active ?? true,
      additional_info: value.additional_info ?? null,
    },
    redeemed_quantity: redeemed_quantity ?? 0,
    redeemed_amount: redeemed_amount ?? 0,
  };
}

function requireUnitsThere({ missing }: ImportPlan, settings: VoucherSettings | null): void {
  const unknown = settings && unitTypesOf(settings.discount).find((id) => missing.has(id));
  if (unknown) throw notFound("product", unknown);
}

/** Undefined: the row says nothing of it. */
function categoryIn({ categories }: Catalog, plan: ImportPlan, { category, category_id }: VoucherImport) {
  if (category_id && !categories.has(category_id)) throw notFound("category", category_id);
  return category_id || (category ? plan.categoryOf(category) : undefined);
}

/** A code that is there, after a row of a file: what the row says nothing of stays, and so does what was redeemed of it. */
function changedVoucher(c: ImportCtx, plan: ImportPlan, value: VoucherImport, row: VoucherRow): VoucherRow {
  const campaign = row.campaign_id === null ? null : plan.campaigns.get(row.campaign_id);
  if (campaign === undefined) throw notFound("voucher", row.code);
  if (plan.campaign && row.campaign_id !== plan.campaign.id)
    throw new ApiError("duplicate_found", { details: `Duplicated voucher exists with id ${row.code}` });
  const refuse = (details: string) => new ApiError("invalid_voucher", { details, resource_id: row.id });
  if (value.type && value.type !== row.type) throw refuse("It is not possible to change Voucher type");
  const before = settingsOf(row, campaign);
  const { discount, start_date, expiration_date, redemption, metadata } = value;
  if (discount && discount.type !== before.discount?.type)
    throw refuse("It is not possible to change Voucher discount type");
  const fault = metadata && metadataFault(c.catalog.metadata_schemas, metadataOf(campaign), { metadata, on: "update" });
  if (fault) throw new ApiError("metadata_validation_failed", { details: fault });
  const merged = mergeSettings(before, {
    ...{ start_date, expiration_date, quantity: redemption?.quantity, metadata: metadata ?? undefined },
    discount: discount ? requireDiscount(discount as never, ".discount") : undefined,
  });
  const settings = { ...merged, ...requireValidity(merged, c.project) };
  requireUnitsThere(plan, settings);
  return {
    ...row,
    settings: isDeepStrictEqual(settings, before) ? row.settings : settings,
    category_id: categoryIn(c.catalog, plan, value) ?? row.category_id,
    active: value.active ?? row.active,
    additional_info: value.additional_info ?? row.additional_info,
    updated_at: c.now,
  };
}

/** Writes the new codes, with what was redeemed of them before. Those that somebody has taken meanwhile are left out. */
async function insertPlanned(c: ImportCtx, { made, campaign }: ImportPlan): Promise<WantedVoucher[]> {
  const all = [...made.values()];
  if (all.length === 0) return [];
  const wanted = all.map((one) => one.wanted);
  const ids = await insertImportedVouchers(c.db, c.project.id, wanted, await c.takeStamps(all.length));
  if (campaign) await addToVouchersCount(c.db, c.project.id, campaign.id, ids.size);
  const inserted = all.filter((one) => ids.has(one.wanted.id));
  await spendOnCards(c, inserted, campaign);
  const counted = inserted.filter(({ redeemed_quantity }) => redeemed_quantity > 0);
  const quantities = new Map(counted.map((one) => [one.wanted.id, one.redeemed_quantity]));
  await saveImportedQuantities(c.db, c.project.id, quantities);
  return inserted.map((one) => one.wanted);
}

async function spendOnCards(
  c: ImportCtx,
  inserted: readonly ImportedVoucher[],
  campaign: Campaign | null,
): Promise<void> {
  const spent = new Map(
    inserted.flatMap((one) => (one.redeemed_amount > 0 ? [[one.wanted.id, one.redeemed_amount]] : [])),
  );
  if (spent.size === 0) return;
  const rows = await vouchersById(c.db, c.project.id, [...spent.keys()]);
  const cards = await openGiftCards(
    c.db,
    c.project,
    rows.map((row) => ({ row, campaign })),
  );
  for (const [id, card] of cards) spendBefore(card, c, spent.get(id)!);
  await saveGiftCards(c.db, c.project, cards.values());
}

/**
 * The one place where an import tells the outside world of codes. Without `webhooks_enable` nothing is told of each: a file
 * of a million codes would be a million messages.
 */
async function tellOfImported(c: ImportCtx, plan: ImportPlan, made: readonly VoucherRow[]): Promise<void> {
  if (!c.options.webhooks_enable) return;
  const campaignOf = ({ campaign_id }: VoucherRow) =>
    campaign_id === null ? null : (plan.campaigns.get(campaign_id) ?? null);
  const rows = [...made, ...plan.changed.values()];
  const shown = await showAllWritten(
    c,
    rows.map((row) => ({ row, campaign: campaignOf(row) })),
  );
  const events = shown.map((voucher, n) => ({
    kind: n < made.length ? ("voucher.created" as const) : ("voucher.updated" as const),
    voucher_id: voucher.id,
    campaign_id: voucher.campaign_id,
    payload: told(voucher),
  }));
  await record(c, events);
}
