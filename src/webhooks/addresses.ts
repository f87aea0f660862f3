import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** Networks that a self-hoster may name instead of their numbers. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ["127.0.0.0/8", "::1/128"],
  linklocal: ["169.254.0.0/16", "fe80::/10"],
  uniquelocal: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"],
};
/** What the internet reaches of IPv6. All else has a meaning of its own, or wraps an address of IPv4. */
const GLOBAL = ipaddr.parseCIDR("2000::/3");
/** An address of everybody that a cloud answers on itself: the one of Azure. */
const METADATA = ["168.63.129.16"];

type Network = ReturnType<typeof ipaddr.parseCIDR>;

/** The networks that a setting names, separated by commas: `loopback`, `10.0.0.0/8`, `192.168.1.7`. */
export function parseNetworks(setting: string): Network[] {
  const names = setting.split(",").map((name) => name.trim());
  return names
    .filter((name) => name !== "" && name !== "none")
    .flatMap((name) => NAMED[name] ?? [name])
    .map((name) => ipaddr.parseCIDR(name.includes("/") ? name : `${name}/${isIP(name) === 6 ? 128 : 32}`));
}

/** Why nothing is sent to an address; null: it is an address on the internet, or one that the setting opens. */
export function addressFault(address: string, allowed: readonly Network[]): string | null {
  if (isIP(address.replace(/%.*$/, "")) === 0) return `${address} is no address`;
  // `process` turns an address of IPv4 that is written as one of IPv6 back into what it is.
  const meant = ipaddr.process(address.replace(/%.*$/, ""));
  if (allowed.some(([network, bits]) => network.kind() === meant.kind() && meant.match(network, bits))) return null;
  const range = meant.range();
  const isPublic = range === "unicast" && (meant.kind() === "ipv4" || meant.match(GLOBAL[0], GLOBAL[1]));
  if (isPublic && !METADATA.includes(meant.toString())) return null;
  return `${address} is not on the internet (${isPublic ? "metadata" : range}); LAUREL_WEBHOOK_ALLOW can open it`;
}
