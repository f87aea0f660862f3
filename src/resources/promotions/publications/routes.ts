import { Type } from "typebox";
import { ApiError } from "../../../core/errors.ts";
import { commandOf, type HotCtx } from "../../../ctx.ts";
import { publicationsOf } from "../../../flows/promotions/list-publications.ts";
import { publish } from "../../../flows/publish/publish.ts";
import { requiredFromClient } from "../../../http/client-side.ts";
import { hot, list, read } from "../../../http/route.ts";
import { ClientPublicationMade, PublicationMade } from "../../../steps/publishing/publication-view.ts";
import { JoinQuery, PublicationBody, PublicationList, PublicationQuery, PublishQuery } from "./schema.ts";

async function askPublication(c: HotCtx, body: PublicationBody, join_once: boolean | undefined) {
  const sent = { ...body, channel: body.channel ?? c.channel ?? null };
  return c.submit(publish, c.project.id, { ...(await commandOf(c)), sent, join_once: join_once ?? null });
}

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
    (c) => askPublication(c, c.body, c.query.join_once),
  ),
  hot(
    "POST /client/v1/publish",
    {
      id: "publishClientSide",
      summary: "Publish codes to a customer from a client application",
      description:
        "As `POST /v1/publications`; the campaign may also be named in the query. With client_create_customer_enabled off, the customer must be there, and is not changed. A server-side key pair is taken too: no switch is for it, and it is shown all of the answer.",
      query: PublishQuery,
      body: PublicationBody,
      ok: ClientPublicationMade,
      setting: "client_publish_enabled",
      findsCodes: true,
      orServerKey: PublicationMade,
    },
    async (c) => {
      const { campaign, join_once } = c.query;
      const body = { ...c.body, ...(!c.body.campaign && !c.body.voucher && { campaign }) };
      if (c.caller.kind !== "client") return askPublication(c, body, join_once);
      const customer = requiredFromClient(c.project, body.customer);
      return askPublication(c, { ...body, customer }, join_once);
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
