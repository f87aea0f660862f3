import fs from "node:fs";
import { WEBHOOK_TYPES } from "../src/core/webhooks/event-names.ts";
import { RETRY_MINUTES } from "../src/core/webhooks/retries.ts";
import { TOLD, UNTOLD } from "../src/events/payloads.ts";

// The page docs/reference/webhooks.md: the table of types from the code, and a sample of each that a test has executed.

const SAMPLES = "docs/reference/webhook-samples.json";

const minutesText = (minutes: number): string =>
  minutes < 60
    ? `${minutes} min`
    : minutes % 60 === 0
      ? `${minutes / 60} h`
      : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;

const fieldsOf = (type: string): string => {
  const { data, never } = TOLD[type]!;
  if (never) return `Never: ${never}`;
  return data === null
    ? "what the activity of the object shows"
    : Object.keys(data)
        .map((field) => `\`${field}\``)
        .join(", ");
};

/** Text that holds fields of JSON in a list of types. */
export function webhooksReference(made: string): string {
  const samples = JSON.parse(fs.readFileSync(SAMPLES, "utf8")) as Record<string, object>;
  return [
    made,
    "",
    "# Webhooks",
    "",
    "What a webhook can listen to, and what it is sent. [The guide](../guides/webhooks.md) shows how to receive it.",
    "",
    "## The body",
    "",
    "| Field | Content |",
    "|---|---|",
    "| `id` | The delivery, `whs_…`. It stays the same when the delivery is sent again. |",
    "| `project_id` | The project. |",
    "| `created_at` | When the delivery was written, with the change that it tells of. |",
    "| `type` | The type of the event. |",
    "| `data` | The objects that the event is about, as they were at that time. |",
    "| `source` | The webhook: `id`, `object`, `target_url`. |",
    "| `event` | `id`, `type`, `created_at`, `entity_id` (what it happened to), `group_id` (the request), `event_source` (`channel`, and the key that called), `number`. |",
    "",
    "`event.number` grows from event to event of the same object. A retry may come after a later event: compare the numbers.",
    "",
    "## The headers",
    "",
    "| Header | Content |",
    "|---|---|",
    "| `x-voucherify-signature` | HMAC-SHA256 of the body with the `webhook_token` of the project, as lower-case hex. For 24 hours after a change of the secret it is made with the secret before. |",
    '| `webhook-id`, `webhook-timestamp`, `webhook-signature` | As in [Standard Webhooks](https://www.standardwebhooks.com). The secret is the `webhook_token` as it is (`format: "raw"`). After a change of the secret there is a signature for each of the two. |',
    "| the `headers` of the webhook | As they are configured. |",
    "",
    "## When it is sent",
    "",
    `An answer of 2xx within 10 seconds is a success. Otherwise it is sent again, ${RETRY_MINUTES.length} times, so long after the first attempt:`,
    `${RETRY_MINUTES.map(minutesText).join(", ")}. Then the webhook is switched off. Redirects are not followed.`,
    "",
    "## The types",
    "",
    "| Type | Fields of `data` |",
    "|---|---|",
    ...WEBHOOK_TYPES.map((type) => `| \`${type}\` | ${fieldsOf(type)} |`),
    "",
    "## Events that are not sent",
    "",
    "| Event | Why |",
    "|---|---|",
    ...Object.entries(UNTOLD).map(([kind, why]) => `| \`${kind}\` | ${why} |`),
    "",
    "## Samples",
    "",
    ...WEBHOOK_TYPES.filter((type) => samples[type]).flatMap((type) => [
      `### ${type}`,
      "",
      "```json",
      JSON.stringify(samples[type], null, 1),
      "```",
      "",
    ]),
  ].join("\n");
}
