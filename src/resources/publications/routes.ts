import { Type } from "typebox";
import { PublicationMade } from "../../catalog/publication-view.ts";
import { ApiError } from "../../core/errors.ts";
import { publicationsOf } from "../../flows/list-publications.ts";
import { publish } from "../../flows/publish.ts";
import { hot, list, read } from "../../http/route.ts";
import { JoinQuery, PublicationBody, PublicationList, PublicationQuery } from "./schema.ts";

export const publicationRoutes = [
  hot(
    "POST /v1/publications",
    {
      id: "createPublication",
      summary: "Publish codes to a customer",
      description:
        "Gives the customer the code that `voucher` names, or the next ones of a campaign, which makes new ones when it has none left and is of the type `AUTO_UPDATE`. A refusal is kept as a failed publication.",
      query: JoinQuery,
      body: PublicationBody,
      ok: PublicationMade,
    },
    async (c) => {
      const { project, now, request_id, newId, newSecret, claim } = c;
      const catalog = await c.catalogs.catalogOf(project);
      const sent = { ...c.body, channel: c.body.channel ?? c.channel ?? null };
      const join_once = c.query.join_once ?? null;
      const command = { project, catalog, now, request_id, newId, newSecret, sent, join_once, claim };
      return c.submit(publish, project.id, command);
    },
  ),
  read(
    "GET /v1/publications",
    {
      id: "listPublications",
      summary: "List publications",
      description:
        "Newest first, failed ones too. Filters: `failure_code`, `result`, `customer_id`, `campaign_name`, `voucher_type`, `is_referral_code`, `parent_object_id` (a campaign), `related_object_id` (a voucher), `source_id`.",
      query: PublicationQuery,
      ok: PublicationList,
    },
    async (c) => list(await publicationsOf(c, c.query), (one) => one, "publications"),
  ),
  read(
    "GET /v1/publications/create",
    {
      id: "createPublicationByGet",
      summary: "Publish with an integration key",
      description: "There are no integration keys here: it is always refused. Use `POST /v1/publications`.",
      ok: Type.Never(),
    },
    async () => {
      throw new ApiError("integration_api_key_required", {
        details: "Only an integration key publishes with GET; use POST /v1/publications",
      });
    },
  ),
];
