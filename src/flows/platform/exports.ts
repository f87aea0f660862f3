import { ApiError, invalid, notFound } from "../../core/errors.ts";
import { METADATA } from "../../core/exports/csv.ts";
import { FilterFault, parseFilter } from "../../core/filters/filter.ts";
import { type Permission, permits } from "../../core/users/roles.ts";
import type { Ctx, WriteCtx } from "../../ctx.ts";
import type { Page } from "../../db/crud-store.ts";
import type { Db } from "../../db/db.ts";
import { type ExportObject, type ExportPlan, fieldNamed } from "../../db/exported-rows.ts";
import type { Export, ExportedObject, ExportParameters } from "../../resources/platform/exports/schema.ts";
import {
  deleteExport,
  type ExportRow,
  getExport,
  insertExport,
  listExports,
  view,
} from "../../resources/platform/exports/store.ts";
import {
  createFile,
  downloadOf,
  fileUrl,
  releaseFile,
  requireFileOf,
  requireFileStorage,
} from "../../resources/platform/files/store.ts";
import { getCampaign } from "../../resources/promotions/campaigns/store.ts";
import { getVoucher } from "../../resources/promotions/vouchers/store.ts";
import { EXPORT_OBJECTS } from "../../steps/bulk/export-objects.ts";
import { loyaltyNamed } from "../../steps/points/loyalty-campaigns.ts";
import { getCampaignMember, type Which } from "../../steps/points/point-members.ts";
import { campaignsOf } from "../../steps/promotions/voucher-view.ts";

type Parameters = ExportParameters & { campaign_id?: string };
type StartCtx = WriteCtx & { filesBytesMax: number | undefined };
/** What a path names: only rows of this card or campaign. */
type Scope = { voucher_id?: string; campaign_id?: string };
/** The most columns of a file: metadata may have very many. */
const COLUMNS_MAX = 500;

/** What has a scope of its own cannot be read around it, by exporting it. */
const SCOPES: Partial<Record<ExportedObject, string>> = { api_log: "request-log" };

/** What a user needs to take out for each: any of these. */
const RESOURCES: Readonly<Record<ExportedObject, readonly string[]>> = {
  voucher: ["vouchers"],
  redemption: ["redemptions"],
  customer: ["customers"],
  publication: ["publications"],
  order: ["orders"],
  points_expiration: ["loyalties"],
  voucher_transactions: ["vouchers", "campaigns", "loyalties"],
  product: ["products"],
  sku: ["skus"],
  api_log: ["request-log"],
};

function scopeFault({ caller }: Pick<Ctx, "caller">, object: ExportedObject): string | null {
  const { permissions } = caller;
  if (permissions) {
    const wanted = RESOURCES[object].map((resource): Permission => `${resource}.export`);
    return wanted.some((one) => permits(permissions, one))
      ? null
      : `The user needs the permission ${wanted.join(" or ")} for ${object}`;
  }
  const needed = SCOPES[object];
  if (needed === undefined || !caller.scopes || caller.scopes.some((one) => one === "api" || one === needed))
    return null;
  return `The token needs the scope api or ${needed} for ${object}`;
}

function requireScopeOf(c: Pick<Ctx, "caller">, object: ExportedObject): void {
  const details = scopeFault(c, object);
  if (details !== null) throw new ApiError("missing_required_permission", { details });
}

/** Notes what is to be exported. Its file is begun here, so that erasing somebody finds it, whenever its rows are read. */
export async function startExport(
  c: StartCtx,
  object: ExportedObject,
  sent: Parameters = {},
  scope: Scope = {},
): Promise<Export> {
  requireScopeOf(c, object);
  const plan = { ...(await planOf(c, object, sent)), ...scope };
  await requireFileStorage(c.db, c.project.id, c.filesBytesMax);
  const own = { project_id: c.project.id, id: c.newId("exp") };
  await createFile(c.db, {
    ...own,
    kind: "export",
    name: `${object}-${own.id}.${plan.format.toLowerCase()}`,
    content_type: CONTENT_TYPES[plan.format],
    is_personal: plan.columns.some((name) => fieldNamed(EXPORT_OBJECTS[object], name)!.isPersonal),
    now: c.now,
  });
  const parameters = shownParameters({ ...sent, response_format: plan.format }, scope);
  const row = { ...own, exported_object: object, channel: "API", parameters, plan, created_at: c.now };
  return viewOf(c, await insertExport(c.db, row));
}

const CONTENT_TYPES = { CSV: "text/csv; charset=utf-8", JSONL: "application/x-ndjson; charset=utf-8" } as const;

/** As they were sent, with what the path named as a filter. */
function shownParameters(sent: Parameters, scope: Scope): Record<string, unknown> {
  const { order, fields, filters, campaign_id, response_format } = sent;
  const named = Object.entries(scope).map(([name, id]) => [name, { conditions: { $in: [id] } }]);
  const all = named.length > 0 ? { ...filters, ...Object.fromEntries(named) } : filters;
  const shown = { order, fields, filters: all, campaign_id, response_format };
  return Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== undefined));
}

/** What the export will be, or why it cannot be: columns, order and filters that the object has. */
async function planOf(c: StartCtx, name: ExportedObject, sent: Parameters): Promise<ExportPlan> {
  const object = EXPORT_OBJECTS[name];
  const { order = object.defaultOrder, filters, campaign_id, response_format: format = "CSV" } = sent;
  const orders = Object.keys(object.orders).flatMap((one) => [one, `-${one}`]);
  if (!orders.includes(order))
    throw invalid(`Property .parameters.order must be equal to one of the allowed values [ ${orders.join(", ")} ]`);
  requireFilters(object, filters);
  if (campaign_id !== undefined && name !== "voucher")
    throw invalid("Property .parameters.campaign_id is for exports of vouchers");
  const columns = await columnsOf(c, object, sent.fields, format);
  return {
    columns,
    order,
    format,
    at: c.now,
    ...(filters && { filters }),
    ...(campaign_id !== undefined && { campaign_id }),
  };
}

function requireFilters({ filters: known }: ExportObject, filters: Record<string, unknown> | undefined): void {
  try {
    if (filters) parseFilter(filters, known);
  } catch (error) {
    if (error instanceof FilterFault) throw invalid(`Property .parameters.${error.message}`);
    throw error;
  }
}

/** In CSV metadata is one column for each property that its schema has; in JSONL it is what it is. */
async function columnsOf(
  c: StartCtx,
  object: ExportObject,
  fields: readonly string[] | undefined,
  format: ExportPlan["format"],
): Promise<string[]> {
  const asked = [...new Set(fields?.length ? fields : object.defaults)];
  const unknown = asked.find((name) => fieldNamed(object, name) === undefined);
  if (unknown !== undefined) {
    const known = [...Object.keys(object.fields), ...(object.metadataOf ? [`${METADATA}<name>`] : [])];
    throw new ApiError("invalid_export_fields", {
      details: `Property .parameters.fields has ${unknown}; there are ${known.join(", ")}`,
    });
  }
  if (format === "JSONL" || !asked.includes("metadata")) return asked;
  const schema = (await c.catalog()).metadata_schemas.get(object.metadataOf ?? "");
  const properties = Object.entries(schema?.properties ?? {});
  const keys = properties.flatMap(([key, { deleted }]) => (deleted ? [] : [key]));
  if (keys.length === 0) return asked;
  const all = [...new Set(asked.flatMap((name) => (name === "metadata" ? keys.map((key) => METADATA + key) : [name])))];
  if (all.length > COLUMNS_MAX)
    throw new ApiError("invalid_export_fields", {
      details: `The file would have ${all.length} columns, and ${COLUMNS_MAX} are the most; name those of metadata that you need`,
    });
  return all;
}

/** Which card, or the cards of which campaign. */
type Cards = { code: string } | { campaign: string } | { loyalty: string } | Which;

/** What was moved on one card, or on those of a campaign. */
export const startTransactionsExport = async (c: StartCtx, of: Cards, sent: Parameters = {}): Promise<Export> =>
  startExport(c, "voucher_transactions", sent, await scopeOf(c, of));

/** Which points of a loyalty campaign expire when. */
export const startPointsExport = async (c: StartCtx, reference: string, sent: Parameters = {}): Promise<Export> =>
  startExport(c, "points_expiration", sent, await scopeOf(c, { loyalty: reference }));

async function scopeOf(c: StartCtx, of: Cards): Promise<Scope> {
  if ("loyalty" in of) return { campaign_id: loyaltyNamed(await c.catalog(), of.loyalty).id };
  if ("campaign" in of) return { campaign_id: (await getCampaign(c.db, c.project.id, of.campaign)).id };
  if ("memberId" in of) return { voucher_id: (await getCampaignMember(c, await c.catalog(), of)).id };
  const row = await getVoucher(c.db, c.project, of.code);
  const campaigns = await campaignsOf(c.db, c.project.id, await c.catalog(), [row]);
  if (row.campaign_id !== null && !campaigns.has(row.campaign_id)) throw notFound("voucher", of.code);
  return { voucher_id: row.id };
}

const viewOf = ({ project, publicUrl }: Pick<Ctx, "project" | "publicUrl">, row: ExportRow): Export =>
  view(row, `${publicUrl}${fileUrl(project, { id: row.id, kind: "export" })}`);

export async function readExport(c: Ctx, id: string): Promise<Export> {
  const row = await getExport(c.db, c.project.id, id);
  requireScopeOf(c, row.exported_object);
  return viewOf(c, row);
}

export async function exportsOfProject(c: Ctx, query: Page): Promise<{ rows: Export[]; total: number }> {
  const { limit = 10, page = 1, order = "-created_at" } = query;
  const { rows, total } = await listExports(c.db, c.project.id, { limit, page, order });
  // The address in the result opens the file.
  const hidden = (row: ExportRow) => (scopeFault(c, row.exported_object) === null ? {} : { result: null });
  return { rows: rows.map((row) => ({ ...viewOf(c, row), ...hidden(row) })), total };
}

/** The file of an export, for whoever has its token. */
export const openExport = async (c: { db: Db; now: string }, id: string, token: string) =>
  downloadOf(await requireFileOf(c.db, { id, token, now: c.now, kind: "export" }));

/** Whoever works at it finds it gone. */
export async function removeExport(c: WriteCtx, id: string): Promise<null> {
  // First the file, as who writes to it does.
  await releaseFile(c.db, { project_id: c.project.id, id });
  await deleteExport(c.db, c.project.id, id);
  return null;
}
