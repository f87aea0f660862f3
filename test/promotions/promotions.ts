import { raiseRevision } from "../../src/catalog/changes.ts";
import { NO_SETTINGS } from "../../src/core/vouchers/settings.ts";
import type { Pool } from "../../src/db/db.ts";
import { takeStamps } from "../../src/resources/promotions/vouchers/store.ts";
import { NOW, newId } from "../support/engine.ts";

type PromotionFields = {
  name?: string;
  campaign_type?: string;
  active?: boolean;
  category_id?: string;
  settings?: object;
};

/** A campaign with the rows that every campaign has, a promotion unless told otherwise. */
export const insertCampaign = (db: Pool, projectId: string, given: PromotionFields = {}): Promise<string> =>
  db.begin(async (tx) => {
    const { settings = {}, ...fields } = given;
    const id = newId("camp");
    const own = { project_id: projectId, campaign_id: id };
    const created_at = await takeStamps(tx, projectId, { now: NOW });
    const row = { name: `Promotion ${id}`, campaign_type: "PROMOTION", type: "STATIC", ...fields };
    await tx`insert into campaigns ${tx({ ...row, project_id: projectId, id, created_at } as never)}`;
    await tx`
      insert into voucher_templates ${tx({ ...own, version: 1, settings: { ...NO_SETTINGS, ...settings } } as never)}`;
    const done = { creation_status: "DONE", vouchers_generation_status: "DONE" };
    await tx`insert into campaign_codes ${tx({ ...own, ...done })}`;
    await raiseRevision(tx, projectId, [{ kind: "campaign", id }]);
    return id;
  }) as Promise<string>;

/** Changes a campaign past its operations: into the bin, or switched off. */
export const changeCampaign = (db: Pool, projectId: string, id: string, patch: object) =>
  db.begin(async (tx) => {
    await tx`update campaigns set ${tx(patch as never)} where project_id = ${projectId} and id = ${id}`;
    await raiseRevision(tx, projectId, [{ kind: "campaign", id }]);
  });

export const TEN_PERCENT = { discount: { type: "PERCENT", percent_off: 10 } };
