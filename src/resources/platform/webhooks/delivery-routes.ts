import { invalid } from "../../../core/errors.ts";
import { rotateWebhookSecret } from "../../../flows/platform/rotate-webhook-secret.ts";
import { sendTestEvent } from "../../../flows/platform/send-test-event.ts";
import { cursorList, list, read, write } from "../../../http/route.ts";
import {
  AttemptList,
  ByDelivery,
  Delivery,
  DeliveryList,
  DeliveryQuery,
  DeliveryWithBody,
  ResendRange,
  Resent,
  RotateQuery,
  SecretRotated,
  TestEvent,
} from "./delivery-schema.ts";
import {
  attemptView,
  deliveriesBetween,
  deliveryView,
  getDelivery,
  listAttempts,
  listDeliveries,
  resend,
} from "./log-store.ts";
import { ByWebhook, InProject } from "./schema.ts";
import { webhooks } from "./store.ts";

const PROJECT = "/management/v1/projects/{projectId}";
const WEBHOOK = `${PROJECT}/webhooks/{webhookId}` as const;
/** How many deliveries one request may have sent again. */
const RESEND_MAX = 10_000;

export const webhookDeliveryRoutes = [
  read(
    `GET ${WEBHOOK}/deliveries`,
    {
      id: "listWebhookDeliveries",
      summary: "List what a webhook was sent",
      description: "Deliveries are kept for 30 days.",
      params: ByWebhook,
      query: DeliveryQuery,
      ok: DeliveryList,
    },
    async (c) => {
      const { id, secret } = c.project;
      const { id: webhookId } = await webhooks.get(c.db, id, c.params.webhookId);
      return cursorList(
        await listDeliveries(c.db, { project: { id, secret }, now: c.now }, { webhookId }, c.query),
        deliveryView,
      );
    },
  ),
  read(
    `GET ${WEBHOOK}/deliveries/{deliveryId}`,
    { id: "getWebhookDelivery", summary: "Read a delivery", params: ByDelivery, ok: DeliveryWithBody },
    async (c) => {
      const row = await getDelivery(c.db, c.project.id, c.params);
      return { ...deliveryView(row), body: row.body };
    },
  ),
  read(
    `GET ${WEBHOOK}/deliveries/{deliveryId}/attempts`,
    { id: "listWebhookAttempts", summary: "List the attempts of a delivery", params: ByDelivery, ok: AttemptList },
    async (c) => {
      const { id } = await getDelivery(c.db, c.project.id, c.params);
      const rows = await listAttempts(c.db, c.project.id, id);
      return list({ rows, total: rows.length }, attemptView);
    },
  ),
  write(
    `POST ${WEBHOOK}/deliveries/{deliveryId}/resend`,
    {
      id: "resendWebhookDelivery",
      summary: "Send a delivery again",
      description: "The same bytes are sent under the same id.",
      params: ByDelivery,
      ok: Delivery,
    },
    async (c) => {
      const { id } = await getDelivery(c.db, c.project.id, c.params);
      await resend(c.db, c.project.id, { ids: [id], now: c.now });
      return deliveryView(await getDelivery(c.db, c.project.id, c.params));
    },
  ),
  write(
    `POST ${WEBHOOK}/resend`,
    {
      id: "resendWebhookDeliveries",
      summary: "Send the deliveries of a time again",
      description:
        `From a moment on, and before another; ${RESEND_MAX} at most, the oldest first. ` +
        "When there are more, ask again with `starting_after_id`.",
      params: ByWebhook,
      body: ResendRange,
      ok: Resent,
    },
    async (c) => {
      const { id: webhookId } = await webhooks.get(c.db, c.project.id, c.params.webhookId);
      if (Date.parse(c.body.from) >= Date.parse(c.body.to)) throw invalid("Property .to must be after .from");
      const { starting_after_id: deliveryId, ...range } = c.body;
      const after = deliveryId === undefined ? null : await getDelivery(c.db, c.project.id, { webhookId, deliveryId });
      const found = await deliveriesBetween(c.db, c.project.id, { ...range, webhookId, after, limit: RESEND_MAX + 1 });
      const ids = found.slice(0, RESEND_MAX);
      const count = await resend(c.db, c.project.id, { ids, now: c.now });
      const has_more = found.length > RESEND_MAX;
      return { count, has_more, ...(has_more && { more_starting_after: ids.at(-1)! }) };
    },
  ),
  write(
    `POST ${WEBHOOK}/test`,
    {
      id: "testWebhook",
      summary: "Send a test event",
      description:
        "It has the type that is named, or the first that the webhook listens to, and says that it is a test. " +
        "It is sent once, also to a webhook that is off: whether it is taken changes nothing.",
      params: ByWebhook,
      body: TestEvent,
      ok: Delivery,
    },
    async (c) => {
      const webhook = await webhooks.get(c.db, c.project.id, c.params.webhookId);
      const deliveryId = await sendTestEvent(c, webhook, c.body.type ?? webhook.events[0]!);
      return deliveryView(await getDelivery(c.db, c.project.id, { webhookId: webhook.id, deliveryId }));
    },
  ),
  write(
    `POST ${PROJECT}/webhook-secret/rotate`,
    {
      id: "rotateWebhookSecret",
      summary: "Change the secret of webhooks",
      description:
        "For 24 hours deliveries are signed with the secret before as well. Until then another change is refused, unless " +
        "`end_overlap` says that the secret before need not be good any longer.",
      params: InProject,
      query: RotateQuery,
      ok: SecretRotated,
      secret: true,
    },
    async (c) => rotateWebhookSecret(c, { endsOverlap: c.query.end_overlap === true }),
  ),
];
