/** Fields that hold a secret, and those whose values may: headers of webhooks carry keys of other systems. */
const SECRET = /password|passphrase|secret|token|authorization|^current$|^headers$|api_?key/i;
const HIDDEN = "***";

const hidden = (value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.keys(value).map((name) => [name, HIDDEN]))
    : HIDDEN;

/** A body to be shown and copied. Its secrets are named, and not told. */
export function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== "object" || value === null || value instanceof FormData) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, SECRET.test(name) ? hidden(one) : withoutSecrets(one)]),
  );
}
