/** What every delivery says itself, or what belongs to the connection. A webhook cannot set these. */
const RESERVED = new Set([
  ...["accept", "connection", "content-encoding", "content-length", "content-type", "cookie", "date", "expect", "host"],
  ...["keep-alive", "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"],
  ...["user-agent", "x-voucherify-signature", "webhook-id", "webhook-timestamp", "webhook-signature"],
]);

/** Why a header cannot be sent along; null: it can. */
export function webhookHeaderFault(name: string): string | null {
  return RESERVED.has(name) ? `Property .headers must NOT have the name '${name}': Laurel sets it itself` : null;
}

/** Whether deliveries can be sent to an address. Where it leads is looked at when they are. */
export function isWebAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:")) return false;
  return url.username === "" && url.password === "";
}
export const WEB_ADDRESS_SAYS = "must be an address such as https://shop.example/webhooks, without a password";
