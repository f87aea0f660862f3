import net from "node:net";

/** What a server has asked its database since the last time: how often it waited for an answer, and how many statements. */
export type WireCounts = { trips: number; statements: number };
export type Wire = { url: string; take(): WireCounts; close(): void };

const EXECUTE = "E".charCodeAt(0);
const QUERY = "Q".charCodeAt(0);
/** The type of a message and its length, which counts itself but not the type. */
const HEAD = 5;

/** Stands between a server and its database and counts. Pieces that were sent without waiting are one round trip. */
export async function startWire(databaseUrl: string): Promise<Wire> {
  const target = new URL(databaseUrl);
  let asked: WireCounts = { trips: 0, statements: 0 };
  const sockets = new Set<net.Socket>();
  const proxy = net.createServer((client) => {
    const database = net.connect({ host: target.hostname, port: Number(target.port), noDelay: true });
    client.setNoDelay(true);
    let isAsking = false;
    let isGreeted = false;
    let rest = Buffer.alloc(0);
    client.on("data", (chunk: Buffer) => {
      if (!isAsking) asked.trips += 1;
      isAsking = true;
      // The first message has no type.
      if (isGreeted) {
        rest = Buffer.concat([rest, chunk]);
        while (rest.length >= HEAD && rest.length >= rest.readUInt32BE(1) + 1) {
          if (rest[0] === EXECUTE || rest[0] === QUERY) asked.statements += 1;
          rest = rest.subarray(rest.readUInt32BE(1) + 1);
        }
      }
      isGreeted = true;
      database.write(chunk);
    });
    database.on("data", (chunk) => {
      isAsking = false;
      client.write(chunk);
    });
    for (const [one, other] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(one);
      one.on("error", () => other.destroy());
      one.on("close", () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const url = new URL(databaseUrl);
  url.port = String((proxy.address() as net.AddressInfo).port);
  return {
    url: url.href,
    take: () => {
      const taken = asked;
      asked = { trips: 0, statements: 0 };
      return taken;
    },
    close: () => {
      proxy.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
