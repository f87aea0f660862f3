import { drive } from "../../../bench/load.ts";
import { inSeconds, type Lab, percentile } from "../lab/lab.ts";
import { headersOf, laurelMachine, openAdmin, startDatabase, tellDoctor } from "../lab/laurel.ts";
import { createClient, ok } from "../lab/load.ts";
import { type Outcome, openLoop } from "../lab/open-loop.ts";
import { freePorts, run as runProgram } from "../lab/processes.ts";
import { redemptionShop, tellStored } from "../lab/redemption-shop.ts";

const TIMES = 10;
/** As many calls as a server works on at once where more come: with fewer it does not do all that it can. */
const CLIENTS = 128;
const [SERVER_CORE, OWN_CORE] = ["0", "1"];

type Numbers = { seconds?: number };

/** Ten times of what a server can do. It and its database have one core, the generator the other. */
export async function run(lab: Lab, { seconds = 60 }: Numbers): Promise<void> {
  const database = await startDatabase(lab);
  const db = openAdmin(lab, database.url);
  const [postmaster] = await db<{ pid: number }[]>`
    select split_part(pg_read_file('postmaster.pid'), chr(10), 1)::int as pid`;
  runProgram(["taskset", "-acp", SERVER_CORE, `${postmaster!.pid}`]);
  runProgram(["taskset", "-acp", OWN_CORE, `${process.pid}`]);
  const [port] = (await freePorts(1)) as [number];
  const laurel = laurelMachine(lab, {
    ...{ name: "laurel", port, databaseUrl: database.url, prefix: ["taskset", "-c", SERVER_CORE] },
  });
  await laurel.up();
  const headers = headersOf(lab, laurel);
  const client = createClient(laurel.url, headers);
  lab.atEnd(() => client.close());
  const requests = await redemptionShop(client, laurel.url, headers);

  lab.say(`what the server can do at most, with ${CLIENTS} clients`);
  const first = await drive(laurel.url, requests, { seconds: 10 }, CLIENTS);
  const { count, seconds: took } = await drive(laurel.url, requests, { seconds: 15 }, CLIENTS);
  const peak = count / took;
  lab.figure("peak, redemptions a second", Math.round(peak));
  const calm = await openLoop({ url: laurel.url, perSecond: peak / 4, seconds: 10, next: requests });
  const normal = percentile(calm.good, 0.99);
  lab.figure("p99 at a quarter of that, ms", Math.round(normal));

  lab.say(`${TIMES} times that, for ${seconds} s`);
  const outcome = await openLoop({ url: laurel.url, perSecond: TIMES * peak, seconds, next: requests });
  tell(lab, outcome, peak);
  await tellStored(lab, db, first.count + count + calm.good.length + outcome.good.length);

  const recovered = await secondsToRecover(laurel.url, requests, { since: outcome.sentAt, peak, normal });
  lab.figure("seconds until it is as quick as before", recovered, { atMost: 5 });
  await twoProjects(lab, {
    url: laurel.url,
    client: createClient(laurel.url, headersOf(lab, laurel, "management")),
    requests,
    peak,
  });
  tellDoctor(lab, database.url);
}

function tell(lab: Lab, { good, refused, withoutRetryAfter, failed, unsent, seconds }: Outcome, peak: number): void {
  lab.figure("good answers, part of the peak", Math.round((good.length / seconds / peak) * 100) / 100, {
    atLeast: 0.8,
  });
  lab.figure("refused with 429 or 503", refused.length);
  lab.figure("of those without Retry-After", withoutRetryAfter, { is: 0 });
  lab.figure("p50 of the refused, ms", Math.round(percentile(refused, 0.5)));
  lab.figure("p99 of the refused, ms", Math.round(percentile(refused, 0.99)), { atMost: 50 });
  lab.figure("p99 of the good, ms", Math.round(percentile(good, 0.99)));
  lab.figure("other answers", JSON.stringify(failed), { is: "{}" });
  // Whoever is out of connections sends less than ten times as much.
  const sent = 1 - unsent / (TIMES * peak * seconds);
  lab.figure("sent, part of what was to be sent", Math.round(sent * 100) / 100, { atLeast: 0.9 });
}

/** How long after the last request of the load a second begins that is as quick as one before it: half again as long at most. */
async function secondsToRecover(
  url: string,
  next: () => Buffer,
  { since, peak, normal }: { since: number; peak: number; normal: number },
): Promise<number> {
  for (let tries = 0; tries < 30; tries += 1) {
    const seconds = inSeconds(performance.now() - since);
    const { good, refused, failed } = await openLoop({ url, perSecond: peak / 4, seconds: 1, next });
    const isWell =
      refused.length === 0 &&
      Object.keys(failed).length === 0 &&
      percentile(good, 0.99) <= Math.max(1.5 * normal, normal + 10);
    if (isWell) return seconds;
  }
  return inSeconds(performance.now() - since);
}

type Two = { url: string; client: ReturnType<typeof createClient>; requests: () => Buffer; peak: number };

/** One project at ten times, and another that asks ten times a second. */
async function twoProjects(lab: Lab, { url, client, requests, peak }: Two): Promise<void> {
  lab.atEnd(() => client.close());
  type NewProject = { id: string; server_side_key: { app_id: string; app_token: string } };
  const project = await ok<NewProject>(client, "POST /management/v1/projects", {
    ...{ name: "Other", timezone: "UTC", currency: "EUR", case_sensitive_codes: true },
  });
  const { app_id, app_token } = project.server_side_key;
  const headers = { "X-App-Id": app_id, "X-App-Token": app_token };
  const own = createClient(url, headers);
  lab.atEnd(() => own.close());
  const other = await redemptionShop(own, url, headers);
  const alone = await openLoop({ url, perSecond: 10, seconds: 20, next: other });
  const [beside] = await Promise.all([
    openLoop({ url, perSecond: 10, seconds: 20, next: other }),
    openLoop({ url, perSecond: TIMES * peak, seconds: 20, next: requests }),
  ]);
  const [before, then] = [percentile(alone.good, 0.99), percentile(beside.good, 0.99)];
  lab.figure("p99 of another project alone, ms", Math.round(before));
  lab.figure("the same while the first is at ten times, ms", Math.round(then));
  lab.figure("grown to times", Math.round((then / before) * 10) / 10, { atMost: 2 });
  lab.figure("its refused requests", beside.refused.length + Object.keys(beside.failed).length, { is: 0 });
}
