/**
 * An origin in one form: scheme, lower-case host, port unless it is the default one. Null when it is none.
 * `HTTPS://Shop.Example:443` is `https://shop.example`.
 */
export function normaliseOrigin(text: string): string | null {
  const match = /^([a-z][a-z0-9+.-]*):\/\/([^/?#\s@*]+)\/?$/i.exec(text.trim());
  if (!match) return null;
  try {
    const url = new URL(`${match[1]}://${match[2]}`);
    return `${url.protocol}//${url.host.toLowerCase()}`;
  } catch {
    return null;
  }
}

/** Whether a page of that origin may call for a project with these trusted domains. */
export function isTrusted(trusted: readonly string[], origin: string | undefined): boolean {
  if (!origin) return false;
  const normal = normaliseOrigin(origin);
  return trusted.includes("*") || (normal !== null && trusted.includes(normal));
}
