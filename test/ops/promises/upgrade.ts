import fs from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { startHaproxy } from "../lab/haproxy.ts";
import { type Lab, ROOT } from "../lab/lab.ts";
import { headersOf, laurelMachine, type Machine, openAdmin, startDatabase, tellDoctor } from "../lab/laurel.ts";
import { type Client, createClient, ok, type Request, startLoad } from "../lab/load.ts";
import { freePorts, run as runCommand } from "../lab/processes.ts";
import { checkOut } from "../lab/release.ts";
import { audit, createLedger, openShop, redeeming, validating } from "../lab/shop.ts";

const CLIENTS = 6;
const PAUSE_MS = 15;
const SIDE_BY_SIDE_MS = 10_000;

/**
 * The release before. Release tags (`v0.3.0`) count from the first one that has all migrations that contract; until there is one it
 * is the commit before the newest migration.
 */
function releaseBefore(): string {
  const git = (...words: string[]) => runCommand(["git", "-C", ROOT, ...words]).trim();
  const hasMigration = (revision: string) =>
    git("ls-tree", "--name-only", revision, "migrations/").includes("migrations/0092_");
  const tags = git("tag", "--list", "v*", "--sort=-version:refname", "--merged", "HEAD").split("\n").filter(Boolean);
  const older = tags.filter((tag) => git("rev-parse", `${tag}^{commit}`) !== git("rev-parse", "HEAD"));
  const tag = older.find(hasMigration);
  if (tag !== undefined) return tag;
  const newest = git("ls-files", "migrations").split("\n").sort().at(-1)!;
  const [added] = git("log", "--diff-filter=A", "--format=%H", "--", newest).split("\n");
  if (!added)
    throw new Error(
      "This clone has no history of the migrations: git fetch --unshallow, or name a revision with --from.",
    );
  return `${added}~1`;
}

const hasFile = (tree: string, file: string, text: string): boolean =>
  fs.readFileSync(join(tree, file), "utf8").includes(text);

/** Requests whose answers both releases must give alike. */
const QUESTIONS: readonly Request[] = [
  validating(1),
  {
    line: "POST /v1/validations",
    body: { redeemables: [{ object: "voucher", id: "NOT-THERE" }], order: { amount: 1000 } },
  },
  {
    line: "POST /v1/qualifications",
    body: { scenario: "ALL", order: { amount: 1000 }, customer: { source_id: "customer 1" } },
  },
  { line: "GET /v1/vouchers/CODE" },
  { line: "GET /v1/vouchers/CARD" },
  { line: "GET /v1/campaigns" },
  { line: "GET /v1/customers/customer%201" },
  { line: "GET /v1/orders/order%201" },
  { line: "GET /v1/vouchers/NOT-THERE" },
  { line: "POST /v1/vouchers", body: { type: "NONSENSE" } },
];
/** What differs from one answer to the next, whoever gives it. */
const withoutVolatile = (text: string): string =>
  text
    .replace(/"(?:id|request_id|tracking_id|created_at|updated_at|date|validation_id)":"[^"]*"/g, '"":""')
    .replace(/\b\w+_[0-9a-f]{16,}\b/g, "…");

/** How many answers of two servers differ. Counters run on between two questions, so those that differ are asked again. */
async function differences(lab: Lab, [one, other]: readonly [Client, Client]): Promise<number> {
  let differing = 0;
  for (const question of QUESTIONS) {
    let texts: string[] = [];
    for (let tries = 0; tries < 20; tries += 1) {
      const replies = await Promise.all([one, other].map((client) => client.send(question)));
      texts = replies.map(({ status, text }) => `${status} ${withoutVolatile(text)}`);
      if (texts[0] === texts[1]) break;
    }
    if (texts[0] === texts[1]) continue;
    differing += 1;
    lab.say(`${question.line}\n  before: ${texts[0]?.slice(0, 400)}\n  now:    ${texts[1]?.slice(0, 400)}`);
  }
  return differing;
}

/** Two servers of the release before, behind HAProxy and under load, are replaced by this one, one after the other. */
export async function run(lab: Lab, { from = releaseBefore() }: { from?: string }): Promise<void> {
  const before = checkOut(lab, from);
  const revision = runCommand(["git", "-C", ROOT, "rev-parse", "--short", `${from}^{commit}`]).trim();
  lab.say(`the release before is ${revision} (${from})`);
  const database = await startDatabase(lab);
  const [first, second, port] = await freePorts(3);
  const machines = [first!, second!].map((own, at) =>
    laurelMachine(lab, { name: `laurel-${at + 1}`, port: own, databaseUrl: database.url }),
  ) as [Machine, Machine];
  for (const machine of machines) await machine.up(before);
  const listen = `127.0.0.1:${port}`;
  await startHaproxy(
    lab,
    listen,
    machines.map(({ url }) => url),
  );
  const headers = headersOf(lab, machines[0]);
  const clients = Array.from({ length: CLIENTS }, () => createClient(`http://${listen}`, headers));
  const direct = machines.map(({ url }) => createClient(url, headers)) as [Client, Client];
  await openShop(clients[0]!);
  for (const name of ["spring", "autumn"])
    await ok(clients[0]!, "POST /v1/campaigns", {
      ...{ name, campaign_type: "DISCOUNT_COUPONS", vouchers_count: 3 },
      voucher: { type: "DISCOUNT_VOUCHER", discount: { type: "PERCENT", percent_off: 10 } },
    });

  const ledger = createLedger();
  const failed: string[] = [];
  let requests = 0;
  const load = startLoad(clients, {
    pauseMs: PAUSE_MS,
    one: async (client, at) => {
      const n = ledger.next();
      const reply = await client.send(at % 3 === 2 ? validating(n) : redeeming(n));
      if (at % 3 !== 2) ledger.note(n, reply);
      requests += 1;
      if (reply.status !== 200) failed.push(`${reply.status} ${reply.text.slice(0, 200)}`);
    },
  });
  const replace = async (machine: Machine, tree: string, what: string) => {
    await machine.down();
    await machine.up(tree);
    await wait(2_500);
    lab.say(`${machine.name} is ${what} now; ${requests} requests, ${failed.length} failed`);
  };
  await wait(3_000);
  const keyed = await direct[1].send(redeeming(1_000_000_001));
  await replace(machines[0], ROOT, "this release");
  await wait(SIDE_BY_SIDE_MS);
  const answers = await differences(lab, [direct[1], direct[0]]);
  const again = await direct[0].send(redeeming(1_000_000_001));
  // One that fails goes back to the release before.
  const goesBack = hasFile(before, "src/db/migrate.ts", "runs_from");
  if (goesBack) {
    await replace(machines[0], before, "the release before again");
    await replace(machines[0], ROOT, "this release");
  }
  await replace(machines[1], ROOT, "this release");
  await load.stop();
  for (const line of failed.slice(0, 10)) lab.say(line);
  ledger.note(1_000_000_001, keyed);
  lab.figure("the release before", revision);
  lab.figure("requests", requests, { atLeast: 500 });
  lab.figure("requests that failed", failed.length, { is: 0 });
  lab.figure("answers of both that differ", answers, { is: 0 });
  lab.figure(
    "a key of one repeated at the other",
    keyed.status === 200 && keyed.text === again.text ? "same answer" : `${again.status} ${again.text}`,
    { is: "same answer" },
  );
  lab.figure("went back to the release before", goesBack ? "yes" : "no: it does not start on newer tables");
  await audit(lab, clients[0]!, ledger, openAdmin(lab, database.url));
  tellDoctor(lab, database.url);
  for (const client of [...clients, ...direct]) client.close();
}
