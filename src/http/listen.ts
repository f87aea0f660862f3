import cluster from "node:cluster";
import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import { platform } from "node:process";
import type { FastifyInstance } from "fastify";

type Where = { host: string; port: number };

/**
 * How many connections wait to be accepted. Beyond that the system drops them, and a client tries again after 1, 3, 7 … seconds, up to a
 * minute: with Node's 511 a busy moment of half a second is enough. Linux takes 4096 at most unless it is told otherwise.
 */
const BACKLOG = 4_096;
/**
 * Node accepts one connection in a turn of its loop from each socket that listens. A turn of a busy process takes 30 ms: one socket
 * accepts 33 connections a second then, and 4,000 clients wait for two minutes. Linux spreads connections over all that listen.
 */
const LISTENERS = 128;

const closed = (server: net.Server): Promise<void> => new Promise((resolve) => server.close(() => resolve()));

/** Fails when anybody has the port: with `reusePort` a second server would take half of the connections of the first. */
async function claim(where: Where): Promise<void> {
  const server = net.createServer().listen(where);
  await once(server, "listening");
  await closed(server);
}

/** Several sockets listen for the one server. Of several processes the first accepts for all, and has nothing else to do. */
export async function listen(app: FastifyInstance, where: Where): Promise<string> {
  if (cluster.isWorker || platform !== "linux") return app.listen({ ...where, backlog: BACKLOG });
  if (where.port !== 0) await claim(where);
  const others: net.Server[] = [];
  // The server only waits for connections that it has accepted itself.
  app.addHook("preClose", async () => void (await Promise.all(others.map(closed))));
  const shared = { backlog: BACKLOG, reusePort: true };
  const url = await app.listen({ ...where, ...shared });
  const { address: host, port } = app.server.address() as AddressInfo;
  for (let n = 1; n < LISTENERS; n += 1) {
    const server = net.createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
      app.server.emit("connection", socket),
    );
    others.push(server.listen({ host, port, ...shared }));
  }
  await Promise.all(others.map((server) => once(server, "listening")));
  return url;
}
