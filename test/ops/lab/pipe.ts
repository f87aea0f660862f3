import { once } from "node:events";
import net from "node:net";
import type { Lab } from "./lab.ts";

/** A way to a server that can be cut: connections end, and new ones are refused; or nothing comes through and nobody is told. */
export type Pipe = { mode: "open" | "closed" | "silent"; set(mode: Pipe["mode"]): void };

export async function startPipe(lab: Lab, listen: { host: string; port: number }, target: string): Promise<Pipe> {
  const { hostname, port } = new URL(target);
  const pairs = new Set<readonly [net.Socket, net.Socket]>();
  // Those that came while nothing came through, and never got further.
  const stuck = new Set<net.Socket>();
  const pipe: Pipe = {
    mode: "open",
    set: (mode) => {
      pipe.mode = mode;
      for (const socket of stuck) socket.destroy();
      stuck.clear();
      for (const pair of pairs)
        for (const socket of pair) {
          if (mode === "closed") socket.destroy();
          else if (mode === "silent") socket.pause();
          // What was silent once stays so: the other end has given it up.
          else if (socket.isPaused()) socket.destroy();
        }
    },
  };
  const server = net.createServer((client) => {
    if (pipe.mode === "closed") return void client.destroy();
    if (pipe.mode === "silent") return void stuck.add(client.on("error", () => {}).pause());
    const upstream = net.connect(Number(port), hostname);
    const pair = [client, upstream] as const;
    pairs.add(pair);
    for (const [from, to] of [pair, [upstream, client] as const]) {
      from.on("data", (piece) => to.write(piece));
      from.on("error", () => {});
      from.on("close", () => {
        pairs.delete(pair);
        to.destroy();
      });
    }
  });
  server.listen(listen.port, listen.host);
  await once(server, "listening");
  lab.atEnd(() => {
    pipe.set("closed");
    server.close();
  });
  return pipe;
}
