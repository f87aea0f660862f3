import type { Lab } from "./lab.ts";
import { run } from "./processes.ts";

export type Host = {
  name: string;
  address: string;
  /** The words before a command that runs on it. */
  prefix: readonly string[];
  /** Nobody reaches it any more, and it reaches nobody. What runs on it runs on. */
  cut(): void;
  mend(): void;
};

/** The addresses for documentation: no machine has them. The network is in the namespace of this process, and nowhere else. */
const ADDRESS = "192.0.2";
/** Where this process is on that network. */
export const HUB = `${ADDRESS}.1`;

/** Machines on one network, each a namespace, with this process as one more. */
export function createNetwork(lab: Lab, names: readonly string[]): Host[] {
  const ip = (...words: string[]) => run(["ip", ...words]);
  ip("link", "set", "lo", "up");
  ip("link", "add", "hub0", "type", "bridge");
  ip("addr", "add", `${HUB}/24`, "dev", "hub0");
  ip("link", "set", "hub0", "up");
  return names.map((name, at) => {
    const [space, link, address] = [`laurel-${process.pid}-${name}`, `host${at}`, `${ADDRESS}.${10 + at}`];
    ip("netns", "add", space);
    lab.atEnd(() => ip("netns", "del", space));
    ip("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", space);
    ip("link", "set", link, "master", "hub0", "up");
    ip("-n", space, "addr", "add", `${address}/24`, "dev", "eth0");
    for (const own of ["lo", "eth0"]) ip("-n", space, "link", "set", own, "up");
    return {
      name,
      address,
      prefix: ["ip", "netns", "exec", space],
      cut: () => void ip("link", "set", link, "down"),
      mend: () => void ip("link", "set", link, "up"),
    };
  });
}
