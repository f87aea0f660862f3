import { randomBytes } from "node:crypto";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { openDb, type Pool } from "../../src/db/db.ts";
import { atEndOfFile } from "./end-of-file.ts";

/** A folder that the database's user can reach, removed at the end. */
export function testDir(mode = 0o755): string {
  const dir = fs.mkdtempSync(join(os.tmpdir(), "laurel-storage-"));
  fs.chmodSync(dir, mode);
  atEndOfFile(() => fs.rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** A database beside the one of `db` that holds nothing at all. */
export async function emptyDatabase(db: Pool, url: string) {
  const name = `test_${process.pid}_${randomBytes(4).toString("hex")}`;
  await db`create database ${db(name)} template template0`;
  const own = url.replace(/\w+$/, name);
  const pools: Pool[] = [];
  const open = (options?: Parameters<typeof openDb>[1]) => {
    const pool = openDb(own, options);
    pools.push(pool);
    return pool;
  };
  atEndOfFile(async () => {
    await Promise.all(pools.map((pool) => pool.end({ timeout: 1 })));
    const admin = openDb(url.replace(/\w+$/, "postgres"), { max: 1 });
    await admin`drop database ${admin(name)} with (force)`;
    await admin.end();
  });
  return { url: own, open, db: open() };
}

/** Asks until the answer is yes. The limit is only there so that what never comes is told. */
export async function until(what: string, ask: () => Promise<boolean> | boolean, limitMs = 120_000): Promise<void> {
  const end = performance.now() + limitMs;
  while (!(await ask())) {
    if (performance.now() > end) throw new Error(`Waited ${limitMs} ms, and still not: ${what}`);
    await wait(10);
  }
}

/**
 * What the network between Laurel and the database may do: `open` passes everything on, `away` closes what comes,
 * `silent` takes everything and answers nothing.
 */
type Mode = "open" | "away" | "silent";
type Watch = (from: "client" | "server", chunk: Buffer) => boolean;

export type TcpProxy = {
  url: string;
  mode: Mode;
  /** The address that the next connections go to. */
  target: string;
  /** Sees every piece of data; where it says true, the piece is lost and its connection is cut. */
  watch: Watch;
  cutAll(): void;
  /** The connections that are open now never hear anything again, and are not told so. New ones work. */
  freezeAll(): void;
};

/** A proxy on a port that stays, before a database whose port may change. */
export async function startProxy(target: string): Promise<TcpProxy> {
  const sockets = new Set<net.Socket>();
  let generation = 0;
  const server = net.createServer((client) => {
    if (proxy.mode === "away") return void client.destroy();
    const born = generation;
    const upstream = net.connect(Number(new URL(proxy.target).port), "127.0.0.1");
    const cut = () => {
      for (const socket of [client, upstream]) {
        sockets.delete(socket);
        socket.destroy();
      }
    };
    // Nor is a frozen connection told that the server is gone.
    const serverGone = () => void (born < generation || cut());
    sockets.add(client.on("error", cut).on("close", cut));
    sockets.add(upstream.on("error", serverGone).on("close", serverGone));
    const pass = (from: "client" | "server", to: net.Socket) => (chunk: Buffer) => {
      if (proxy.mode === "silent" || born < generation) return;
      if (proxy.watch(from, chunk)) cut();
      else if (born === generation) to.write(chunk);
    };
    client.on("data", pass("client", upstream));
    upstream.on("data", pass("server", client));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const proxy: TcpProxy = {
    url: target.replace(/:\d+\//, `:${(server.address() as net.AddressInfo).port}/`),
    mode: "open",
    target,
    watch: () => false,
    cutAll: () => {
      for (const socket of [...sockets]) socket.destroy();
    },
    freezeAll: () => {
      generation += 1;
    },
  };
  atEndOfFile(() => {
    proxy.cutAll();
    server.close();
  });
  return proxy;
}
