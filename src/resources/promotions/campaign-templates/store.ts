import { notFound } from "../../../core/errors.ts";
import type { TemplateContent, TemplateType } from "../../../core/templates/content.ts";
import { firstRows } from "../../../db/bounded.ts";
import { crudStore } from "../../../db/crud-store.ts";
import type { Db, Tx } from "../../../db/db.ts";
import { whereOf } from "../../../db/filters.ts";
import type { CampaignTemplate, CampaignTemplateList, CampaignTemplateQuery } from "./schema.ts";

export type CampaignTemplateRow = {
  project_id: string;
  id: string;
  name: string;
  description: string | null;
  campaign_type: TemplateType;
  content: TemplateContent;
  created_at: string;
  updated_at: string | null;
};

export const campaignTemplates = crudStore<CampaignTemplateRow>({
  table: "campaign_templates",
  object: "campaign_template",
  columns: ["project_id", "id", "name", "description", "campaign_type", "content", "created_at", "updated_at"],
  sortable: [],
});

/** Locks a template, so that what it needs is made once, however often it is used at a time. */
export async function lockCampaignTemplate(tx: Tx, projectId: string, id: string): Promise<CampaignTemplateRow> {
  const [row] = await tx<CampaignTemplateRow[]>`
    select * from campaign_templates where project_id = ${projectId} and id = ${id} order by id for no key update`;
  if (!row) throw notFound("campaign_template", id);
  return row;
}

/** What there is none of is left out. */
export const view = (row: Omit<CampaignTemplateRow, "content">): CampaignTemplate => ({
  id: row.id,
  name: row.name,
  ...(row.description !== null && { description: row.description }),
  campaign_type: row.campaign_type,
  created_at: row.created_at,
  ...(row.updated_at !== null && { updated_at: row.updated_at }),
  object: "campaign_template",
});

const FIELDS = { id: "string", name: "string", campaign_type: "enum" } as const;
const PAGE_LIMIT = 10;

/** Oldest first unless the other order is asked for: ids grow with time. */
export async function listCampaignTemplates(
  db: Db,
  projectId: string,
  query: CampaignTemplateQuery & { now: string },
): Promise<CampaignTemplateList> {
  const { limit = PAGE_LIMIT, order = "id", starting_after_id: last, include_total = false, filters, now } = query;
  const isDown = order === "-id";
  const after = last === undefined ? db`true` : isDown ? db`id < ${last}` : db`id > ${last}`;
  const where = whereOf(db, filters ? { filters } : {}, { fields: FIELDS, now });
  const templates = db<Omit<CampaignTemplateRow, "content">[]>`
    select id, project_id, name, description, campaign_type, created_at, updated_at from campaign_templates
    where project_id = ${projectId} and ${after} and ${where}
    order by id ${isDown ? db`desc` : db`asc`} limit ${limit + 1}`;
  const [{ rows, has_more }, counts] = await Promise.all([
    firstRows(templates, limit),
    include_total
      ? db<{ total: number }[]>`
          select count(*) as total from campaign_templates where project_id = ${projectId} and ${where}`
      : [],
  ]);
  const data = rows.map(view);
  return {
    object: "list",
    data_ref: "data",
    data,
    ...(counts[0] && { total: counts[0].total }),
    has_more,
    ...(has_more && { more_starting_after: data.at(-1)!.id }),
  };
}
