import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";

/** What a project signs with: after a change the secret before is good for a while. */
export type Secrets = { current: string; previous: string | null };

/** Lower-case hex of HMAC-SHA256 over the body as it is sent. */
export const signBody = (secret: string, body: string): string =>
  createHmac("sha256", secret).update(body).digest("hex");

/**
 * The headers that prove where a delivery comes from. `webhook-signature` has one signature for each secret. The older
 * header has room for one: until the overlap ends it is that of the secret that receivers know.
 */
export function signatureHeaders(
  { current, previous }: Secrets,
  { id, at, body }: { id: string; at: Date; body: string },
): Record<string, string> {
  const secrets = previous === null ? [current] : [current, previous];
  return {
    "x-voucherify-signature": signBody(previous ?? current, body),
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": secrets.map((secret) => new Webhook(secret, { format: "raw" }).sign(id, at, body)).join(" "),
  };
}
