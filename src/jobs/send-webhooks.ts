import { projectTime } from "../core/time/project-time.ts";
import { choosePlaces, keptPlaces } from "../core/webhooks/places.ts";
import type { SecretBox } from "../db/secrets/secret-box.ts";
import { deactivateWebhook } from "../flows/platform/deactivate-webhook.ts";
import type { OffWebhook } from "../webhooks/notify.ts";
import { type DueWebhook, type Sending, sendDue } from "../webhooks/sender.ts";
import type { Transport } from "../webhooks/transport.ts";
import type { Job, JobCtx } from "./job.ts";

/** How many webhooks are sent to at a time. Each holds some dozen deliveries at most, however many wait. */
const PLACES = 500;
/** How many webhooks one look finds. */
const FOUND_MAX = 10_000;

type Due = DueWebhook & { clock_offset_ms: number };
type SenderOptions = {
  secretBox: SecretBox;
  transport: Transport;
  userAgent: string;
  places?: number;
  /** Tells whoever wants to know that a webhook was switched off. */
  notify?(c: JobCtx, webhook: OffWebhook): Promise<void>;
  /** Told of each attempt, and how late it began. */
  observe?: Sending["observe"];
  log: { error(fields: object, message: string): void };
};

/**
 * Sends what webhooks are to be told. Each webhook is sent to beside the others and none is waited for, so one that does not
 * answer delays nobody else. `run` ends when all that it began has ended, unless it is told to look only once.
 */
export function createSendWebhooks({
  secretBox,
  transport,
  userAgent,
  places = PLACES,
  notify,
  observe,
  log,
}: SenderOptions): Job & { idle(): Promise<void> } {
  const underWay = new Map<string, { project_id: string; ended: Promise<void> }>();
  /** In which look a webhook was last sent to: whoever waited longest is first. */
  let served = new Map<string, number>();
  let looks = 0;
  // While there are places for all, a webhook is sent to without a pause.
  const mayGoOn = () => underWay.size <= places - keptPlaces(places);
  const send = async (c: JobCtx, sending: Sending, webhook: Due) => {
    try {
      const off = await sendDue({ ...sending, switchOff: switchingOff(c, webhook) }, webhook, mayGoOn);
      if (off) await notify?.(c, off);
    } catch (error) {
      log.error({ err: error, webhook: webhook.id }, "a webhook could not be sent to; it is tried again");
    }
  };
  let sender: string | null = null;
  return {
    name: "send-webhooks",
    everyMs: 500,
    run: async (c) => {
      sender ??= Buffer.from(c.random(8)).toString("hex");
      const sending = { db: c.db, secretBox, transport, now: c.now, sender, userAgent, observe, signal: c.signal };
      const found = underWay.size < places ? await findDue(c, [...underWay.keys()]) : [];
      const due = found.toSorted((a, b) => (served.get(a.id) ?? 0) - (served.get(b.id) ?? 0));
      const known = new Set([...underWay.keys(), ...due.map(({ id }) => id)]);
      served = new Map([...served].filter(([id]) => known.has(id)));
      looks += 1;
      for (const webhook of choosePlaces(due, { places, underWay: [...underWay.values()] })) {
        const ended = send(c, sending, webhook).finally(() => underWay.delete(webhook.id));
        underWay.set(webhook.id, { project_id: webhook.project_id, ended });
        served.set(webhook.id, looks);
      }
    },
    idle: async () => {
      await Promise.all([...underWay.values()].map(({ ended }) => ended));
    },
  };
}

/** The webhooks that something is due for, but for those that are sent to. */
const findDue = ({ db, now }: JobCtx, but: readonly string[]) => db<Due[]>`
  select w.project_id, w.id, p.clock_offset_ms
  from webhooks w join projects p on p.id = w.project_id and p.deleted_at is null
  where not w.id = any(${but})
    and case when w.active then exists (
      select from webhook_deliveries d
      where d.project_id = w.project_id and d.webhook_id = w.id and d.due_at <= ${now()})
    else exists (
      select from webhook_deliveries d
      where d.project_id = w.project_id and d.webhook_id = w.id and d.is_test and d.due_at <= ${now()}) end
    and not exists (
      select from webhook_senders s
      where s.project_id = w.project_id and s.webhook_id = w.id and s.until > ${now()})
  limit ${FOUND_MAX}`;

/** By the time of the project, as all that is recorded. */
const switchingOff =
  (c: JobCtx, { project_id, clock_offset_ms }: Due): Sending["switchOff"] =>
  (db, { id }, delivery_id) =>
    deactivateWebhook(
      { db, now: projectTime(c.now(), { clock_offset_ms }), server_now: c.now(), newId: c.newId },
      { project_id, id, delivery_id },
    );
