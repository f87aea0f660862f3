import fs from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { openDb } from "../../src/db/db.ts";
import { type Embedded, startEmbedded } from "../../src/db/embedded.ts";
import { migrate } from "../../src/db/migrate.ts";
import { createTemplate, NODES } from "./nodes.ts";

// One server for the whole run. Nothing of it outlives the run, so it need not wait for the disk.
let server: Embedded | null = null;
const dir = fs.mkdtempSync(join(os.tmpdir(), "laurel-test-"));
fs.chmodSync(dir, 0o755); // Started by root, the database runs as a user that must reach it.

export async function globalSetup() {
  if (NODES.length > 0) {
    process.env.TEST_SERVER_URL = NODES[0]!;
    return createTemplate();
  }
  // Each file opens pools of its own, and several files run at once.
  server = await startEmbedded(dir, ["max_connections=300", "fsync=off", "full_page_writes=off", "max_wal_size=2GB"]);
  process.env.TEST_SERVER_URL = server.url;
  const admin = openDb(server.url, { max: 1 });
  await admin`create database template`;
  // Thousands of connections are opened, and each would spend milliseconds on making the password hard to guess.
  await admin`set scram_iterations = 1`;
  await admin`alter role laurel password ${admin.unsafe(`'${new URL(server.url).password}'`)}`;
  await admin.end();
  const template = openDb(server.url.replace(/\w+$/, "template"), { max: 2 });
  await migrate(template);
  await template.end();
}

export async function globalTeardown() {
  await server?.stop();
  fs.rmSync(dir, { recursive: true });
}
