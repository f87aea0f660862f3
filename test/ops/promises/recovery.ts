import fs from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type Lab, ROOT, until } from "../lab/lab.ts";
import { headersOf, laurelMachine, openAdmin, tellDoctor } from "../lab/laurel.ts";
import { createClient, ok } from "../lab/load.ts";
import { asPostgres, createPostgres } from "../lab/postgres.ts";
import { freePorts, run as runProgram } from "../lab/processes.ts";
import { openShop, redeeming } from "../lab/shop.ts";

const EACH = 25;

/** The configuration that operators are given, in folders of this run. */
function configure(lab: Lab, folder: string, { cluster, port }: { cluster: string; port: number }): string {
  const conf = join(lab.dir, "pgbackrest.conf");
  const given = fs.readFileSync(join(ROOT, "ops/pgbackrest/pgbackrest.conf"), "utf8");
  const own = (name: string) => {
    fs.mkdirSync(join(folder, name));
    return join(folder, name);
  };
  const places: [RegExp, string][] = [
    [/^repo1-path=.*/m, `repo1-path=${own("repository")}`],
    [/^spool-path=.*/m, `spool-path=${own("spool")}\nlog-path=${own("logs")}\nlock-path=${own("locks")}`],
    [/^pg1-path=.*/m, `pg1-path=${cluster}\npg1-socket-path=${folder}\npg1-port=${port}\npg1-user=postgres`],
  ];
  fs.writeFileSync(
    conf,
    places.reduce((text, [from, to]) => text.replace(from, to), given),
  );
  runProgram(["chown", "-R", "postgres:postgres", folder]);
  return conf;
}

/** The settings of PostgreSQL that operators are given, for the configuration of this run. */
function archiveSettings(lab: Lab): Record<string, string> {
  const given = fs.readFileSync(join(ROOT, "ops/pgbackrest/archive.conf"), "utf8");
  const settings = [...given.matchAll(/^(\w+) = '?(.*?)'?$/gm)].map(([, name, value]) => [name!, value!]);
  const { archive_command = "", ...rest } = Object.fromEntries(settings) as Record<string, string>;
  const conf = `pgbackrest --config=${join(lab.dir, "pgbackrest.conf")} `;
  return { ...rest, archive_command: archive_command.replace(/^pgbackrest /, conf) };
}

/** A backup and the archive of the log bring back any second: here one between two lots of redemptions. */
export async function run(lab: Lab): Promise<void> {
  const folder = join(lab.dir, "postgres");
  fs.mkdirSync(folder);
  const postgres = await createPostgres(lab, folder, archiveSettings(lab));
  const { url: databaseUrl } = postgres;
  const conf = configure(lab, folder, postgres);
  const backrest = (...command: string[]) =>
    asPostgres(["pgbackrest", `--config=${conf}`, "--stanza=laurel", ...command]);
  postgres.start();
  backrest("stanza-create");
  backrest("check");
  const [port] = (await freePorts(1)) as [number];
  const laurel = laurelMachine(lab, { name: "laurel", port, databaseUrl });
  await laurel.up();
  const client = createClient(laurel.url, headersOf(lab, laurel));
  lab.atEnd(() => client.close());
  await openShop(client);
  lab.say("a full backup, while the server runs");
  backrest("backup", "--type=full");

  const redeem = async (from: number) => {
    for (let n = from; n < from + EACH; n += 1) {
      const { status, text } = await client.send(redeeming(n));
      if (status !== 200) throw new Error(`redemption ${n} answered ${status}: ${text}`);
    }
  };
  const db = openAdmin(lab, databaseUrl);
  await redeem(0);
  await wait(1_100);
  const [chosen] = await db<{ at: string }[]>`select clock_timestamp()::text as at`;
  await wait(1_100);
  await redeem(EACH);
  const before = await ok<{ redemption: { redeemed_quantity: number } }>(client, "GET /v1/vouchers/CODE");
  lab.figure("redemptions before", before.redemption.redeemed_quantity, { is: 2 * EACH });
  await db`select pg_switch_wal()`;
  await until("the log is archived", async () => {
    const [row] = await db<{ waiting: number }[]>`
      select count(*)::int as waiting from pg_ls_dir('pg_wal/archive_status') as name where name like '%.ready'`;
    return row!.waiting === 0;
  });
  await laurel.down();
  await db.end({ timeout: 1 });
  postgres.stop();

  lab.say(`restoring to ${chosen!.at}`);
  const began = performance.now();
  backrest("restore", "--delta", "--type=time", `--target=${chosen!.at}`, "--target-action=promote");
  postgres.start();
  const restored = openAdmin(lab, databaseUrl);
  await until("the recovery has ended", async () => {
    const [row] = await restored<{ is_in_recovery: boolean }[]>`select pg_is_in_recovery() as is_in_recovery`;
    return !row!.is_in_recovery;
  });
  lab.figure("seconds to restore", Math.round((performance.now() - began) / 1000));
  tellDoctor(lab, databaseUrl);
  lab.say("another full backup: the log goes another way from here");
  backrest("backup", "--type=full");
  await laurel.up();
  const again = createClient(laurel.url, headersOf(lab, laurel));
  lab.atEnd(() => again.close());
  const voucher = await ok<{ redemption: { redeemed_quantity: number } }>(again, "GET /v1/vouchers/CODE");
  const card = await ok<{ gift: { balance: number; amount: number } }>(again, "GET /v1/vouchers/CARD");
  lab.figure("redemptions at the chosen second", voucher.redemption.redeemed_quantity, { is: EACH });
  lab.figure("credits spent by then", card.gift.amount - card.gift.balance, { is: EACH });
  // What the shop sends again with its key happens once, whether it was lost or not.
  for (let n = 0; n < 2 * EACH; n += 1) {
    const { status, text } = await again.send(redeeming(n));
    if (status !== 200) throw new Error(`redemption ${n} answered ${status}: ${text}`);
  }
  const after = await ok<{ redemption: { redeemed_quantity: number } }>(again, "GET /v1/vouchers/CODE");
  lab.figure("redemptions after all were sent again", after.redemption.redeemed_quantity, { is: 2 * EACH });
  tellDoctor(lab, databaseUrl);
}
