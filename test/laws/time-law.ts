import { randomBytes } from "node:crypto";
import { transaction } from "../../src/db/batches/commit.ts";
import type { Pool } from "../../src/db/db.ts";
import { tenantTables } from "../../src/db/tenant-tables.ts";
import { type Seeded, seeded } from "../../src/demo/requests.ts";
import { moveClock } from "../../src/flows/platform/move-clock.ts";
import { advanceCards } from "../../src/jobs/advance-cards.ts";
import type { JobCtx } from "../../src/jobs/job.ts";
import { runAsyncActions } from "../../src/jobs/run-async-actions.ts";
import { newId } from "../support/engine.ts";
import { testShop } from "../support/shop.ts";

const HOUR_MS = 3_600_000;
const V2 = "/v2/loyalties";
/** Clocks change at midnight in Havana and by half an hour on Lord Howe, while these programs run. */
const ZONES = [
  "UTC",
  "Europe/Warsaw",
  "America/Havana",
  "Australia/Lord_Howe",
  "Asia/Kathmandu",
  "America/St_Johns",
] as const;
const STARTS = ["2026-01-27T10:20:30.000Z", "2026-03-01T22:40:00.000Z", "2026-10-14T03:05:00.000Z"] as const;

const later = (at: string, hours: number): string => new Date(Date.parse(at) + hours * HOUR_MS).toISOString();

type Ok = (line: string, body?: unknown) => Promise<any>;
type World = { random: Seeded; ok: Ok; segments: { id: string }[]; names: string[]; cards: string[] };

/** Filters that look at the time, and some of them at points. */
function segmentFilter({ integer, pick }: Seeded): object {
  const timed = pick([
    { created_at: { conditions: { $more_than_ago: integer(2, 25) } } },
    { created_at: { conditions: { $less_than_ago: integer(2, 25) } } },
    { birthdate: { conditions: { [pick(["$this_week_md", "$today_md", "$next_month_md"])]: true } } },
    { "summary.orders.last_order_date": { conditions: { $is_days_ago: integer(1, 30) } } },
    { "summary.orders.last_order_date": { conditions: { $last_month: true } } },
  ]);
  const points = { "loyalty.points": { conditions: { [pick(["$more_than", "$less_than"])]: integer(0, 200) } } };
  return { junction: pick(["and", "or"]), ...timed, ...(integer(0, 2) === 0 && points) };
}

/** A campaign of loyalty cards: tiers, rules on moves between them and on segments, points that expire or wait. */
async function openCampaign({ random, ok, segments, names, cards }: World, name: string): Promise<void> {
  const { integer, pick } = random;
  const expiration_rules = pick([
    undefined,
    { period_type: "MONTH", period_value: integer(0, 1) },
    { period_type: "MONTH", period_value: 0, rounding_type: "END_OF_MONTH" },
  ]);
  const expiration = (types: readonly string[]) => ({ type: pick(types), ...(integer(0, 1) && { extend: "P10D" }) });
  const loyalty_tiers_expiration = pick([
    undefined,
    {
      qualification_type: "POINTS_IN_PERIOD",
      qualification_period: "MONTH",
      start_date: { type: pick(["IMMEDIATE", "NEXT_PERIOD"]) },
      expiration_date: expiration(["END_OF_PERIOD", "END_OF_NEXT_PERIOD"]),
    },
    {
      qualification_type: "BALANCE",
      start_date: { type: "IMMEDIATE" },
      expiration_date: { type: "CUSTOM", extend: `P${integer(3, 20)}D` },
    },
  ]);
  const campaign = await ok("POST /v1/loyalties", {
    name,
    type: "AUTO_UPDATE",
    voucher: { type: "LOYALTY_CARD", loyalty_card: { points: integer(0, 30), expiration_rules } },
    ...(loyalty_tiers_expiration && { loyalty_tiers_expiration }),
  });
  const path = `/v1/loyalties/${campaign.id}`;
  const tiers = await ok(`POST ${path}/tiers`, [
    { name: "Low", points: { from: 1, to: 49 } },
    { name: "Middle", points: { from: 50, to: 119 } },
    { name: "High", points: { from: 120 } },
  ]);
  const own = () => ({
    loyalty: { type: "FIXED", points: integer(1, 60) },
    expiration_rules: pick([undefined, { period_type: "MONTH", period_value: 0 }]),
  });
  const pending_points = pick([undefined, { period_type: "DAY", period_value: integer(1, 8) }]);
  const onMoves = Array.from({ length: integer(1, 4) }, () => ({
    event: `customer.loyalty.tier.${pick(["joined", "upgraded", "downgraded", "left", "prolonged"])}`,
    loyalty_tier: { id: pick(["__ANY__", "__ANY__", "__ANY__", ...tiers.map(({ id }: { id: string }) => id)]) },
    ...own(),
  }));
  const onSegments = Array.from({ length: integer(0, 2) }, () => ({
    event: "customer.segment.entered",
    segment: { id: pick(segments).id },
    ...own(),
  }));
  await ok(`POST ${path}/earning-rules`, [
    { event: "order.paid", ...own(), pending_points },
    ...onMoves,
    ...onSegments,
  ]);
  for (const source_id of names.filter(() => integer(0, 3) > 0)) {
    const { voucher } = await ok("POST /v1/publications", { campaign: { name }, customer: { source_id } });
    cards.push(voucher.code);
  }
}

/** A program of members: a wallet, tiers of which one may ask for a segment, rules on orders and segments. */
async function openProgram({ random, ok, segments, names }: World): Promise<void> {
  const { integer, pick } = random;
  const days = (value: number) => ({ period: { value, unit: "DAY" } });
  const wallet = await ok(`POST ${V2}/card-definitions`, {
    name: "Wallet",
    type: "INDIVIDUAL",
    status: "ACTIVE",
    points_expiration: pick([
      { type: "NO_EXPIRATION" },
      { type: "ROLLING_EXPIRATION", rolling_expiration: days(integer(3, 30)) },
    ]),
    pending_points: pick([{ type: "IMMEDIATE" }, { type: "PERIOD_BASED", period_based: days(integer(1, 12)) }]),
  });
  const period = pick([
    { value: 12, unit: "HOUR" },
    { value: integer(2, 9), unit: "DAY" },
    { value: 1, unit: "WEEK" },
    { value: 1, unit: "MONTH" },
  ]);
  const kind = pick([
    { type: "POINT_BALANCE" },
    { type: "POINT_EARNED", point_earned: { period, type: pick(["IMMEDIATELY", "NEXT_TRACKING_PERIOD"]) } },
  ]);
  const grace_period = pick([null, { value: integer(1, 10), unit: "DAY", round_up: false }]);
  const structure = await ok(`POST ${V2}/tier-structures`, {
    name: "Levels",
    card_definition_id: wallet.id,
    ...kind,
    expiration: pick([
      { type: "NO_EXPIRATION" },
      { type: "ROLLING_EXPIRATION", rolling_expiration: days(integer(3, 20)) },
    ]),
    downgrade: { type: pick(["MULTI_LEVEL", "SINGLE_LEVEL"]), grace_period },
  });
  const segment = pick([null, pick(segments)]);
  for (const [name, points] of [
    ["Bronze", { min_value: 0, max_value: 49 }],
    ["Silver", { min_value: 50, max_value: 119 }],
    ["Gold", { min_value: 120 }],
  ] as const) {
    const asked = name === "Gold" && segment;
    const qualification_rules = asked
      ? { type: "POINTS_AND_SEGMENT", points, segment: { id: asked.id } }
      : { type: "POINTS", points };
    await ok(`POST ${V2}/tier-structures/${structure.id}/tiers`, { name, qualification_rules });
  }
  await ok(`POST ${V2}/tier-structures/${structure.id}/activate`);
  const rule = (trigger: object) =>
    ok(`POST ${V2}/earning-rules`, {
      name: "Rule",
      status: "ACTIVE",
      trigger,
      earnings: [{ effects: [{ points: { value: integer(20, 90), card_definition_id: wallet.id } }] }],
    });
  const rules = [
    await rule({ event: "customer.order.paid" }),
    await rule({ event: "customer.segment.entered", segment: { id: pick(segments).id } }),
  ];
  const program = await ok(`POST ${V2}/programs`, {
    name: "Club",
    status: "ACTIVE",
    card_definitions: [{ id: wallet.id }],
    earning_rules: rules.map(({ id }) => ({ id })),
    tier_structures: [{ id: structure.id }],
  });
  for (const source_id of names)
    await ok(`POST ${V2}/programs/${program.id}/members`, {
      customer_identification: { type: "customer_source_id", customer_source_id: source_id },
    });
}

/** A project with random programs and segments, as a seed has it, and customers who have bought something. */
export async function timedProject(db: Pool, seed: number) {
  const random = seeded(seed);
  const { integer, pick } = random;
  const start = pick(STARTS);
  const { project, ok } = await testShop(db, { timezone: pick(ZONES), now: start }, { now: () => start });
  const names = ["ann", "ben"];
  const first = Temporal.Instant.from(start).toZonedDateTimeISO("UTC").toPlainDate();
  for (const source_id of names) {
    const birthdate = first.add({ days: integer(0, 40) }).with({ year: 1990 });
    await ok("POST /v1/customers", { source_id, birthdate: birthdate.toString() });
  }
  const segments: { id: string }[] = [];
  // The last one is passive. Without any other, nothing but cards is due.
  for (let n = pick([0, 0, 1, 2, 3]); n >= 0; n -= 1) {
    const type = n === 0 ? "passive" : "auto-update";
    segments.push(await ok("POST /v1/segments", { name: `Segment ${n}`, type, filter: segmentFilter(random) }));
  }
  const cards: string[] = [];
  const world: World = { random, ok, segments, names, cards };
  for (const name of ["One", "Two"].slice(0, integer(1, 2))) await openCampaign(world, name);
  if (integer(0, 3) > 0) await openProgram(world);
  for (const source_id of names.slice(0, integer(1, 2)))
    await ok("POST /v1/orders", { status: "PAID", customer: { source_id }, amount: integer(1000, 9000) });
  for (const code of cards)
    if (integer(0, 1)) await ok(`POST /v1/loyalties/members/${code}/balance`, { points: integer(1, 150) });
  return { id: project.id, start, end: later(start, integer(30 * 24, 45 * 24) + 0.5) };
}

/** The same project once more, with all its rows as they are. */
export async function copyOf(db: Pool, projectId: string): Promise<string> {
  const copy = newId("proj");
  // Others copy at the same time, and rows of the directory are on several machines, maybe: what meets half-way is run again.
  const copyRows = (table: string, key: "id" | "project_id") =>
    transaction(
      db,
      (tx) => tx`
        insert into ${tx(table)}
        select (jsonb_populate_record(t, jsonb_build_object(${key}::text, ${copy}::text))).*
        from ${tx(table)} t where ${tx(key)} = ${projectId}`,
    );
  await copyRows("projects", "id");
  await copyRows("tenants", "project_id");
  for (const table of await tenantTables(db)) await copyRows(table, "project_id");
  return copy;
}

/** The server stands still at `now`, or goes on to it, while jobs run. */
const jobs = (db: Pool, now: string): JobCtx => ({ db, now: () => now, newId, random: randomBytes });

/** Moves the test clock of a project by so many hours at a time, each time with all that follows. */
export async function stepClock(
  db: Pool,
  projectId: string,
  { start, end, hours }: { start: string; end: string; hours: number },
): Promise<void> {
  for (let at = start; at < end; ) {
    const next = later(at, hours);
    at = next < end ? next : end;
    await db.begin((tx) => moveClock({ db: tx, now: start, newId, request_id: "move" }, projectId, at));
    await runAsyncActions.run(jobs(db, start));
  }
}

/** The time of the server goes on, and one sweep comes at the end of it. */
export const sweepLate = (db: Pool, end: string): Promise<void> => advanceCards.run(jobs(db, end));

/** What depends on how often somebody asked, and not on what time brought: moves of the clock, and reads of settings. */
const NOT_COMPARED = ["audit_log", "async_actions", "catalog_changes"];

/**
 * All rows of a project. Ids that were made while time passed are random: only what they are ids of is kept. `base` are
 * the ids that the project began with.
 */
export async function rowsOf(db: Pool, projectId: string): Promise<Record<string, unknown[]>> {
  const rows: Record<string, unknown[]> = {};
  for (const table of await tenantTables(db)) {
    if (NOT_COMPARED.includes(table)) continue;
    const found = await db<{ row: string }[]>`
      select (to_jsonb(t) - '{project_id,transaction_id}'::text[])::text as row from ${db(table)} t where project_id = ${projectId}`;
    if (found.length > 0) rows[table] = found.map(({ row }) => row);
  }
  return rows;
}

const ID = /\b([a-z]+)_[0-9a-z]{16,}\b/g;
export const idsIn = (rows: Record<string, unknown[]>): Set<string> =>
  new Set(Object.values(rows).flatMap((all) => all.flatMap((row) => String(row).match(ID) ?? [])));

export function comparable(rows: Record<string, unknown[]>, base: ReadonlySet<string>): Record<string, unknown[]> {
  const known = (text: string) => text.replace(ID, (id, prefix) => (base.has(id) ? id : `${prefix}_new`));
  return Object.fromEntries(
    Object.entries(rows).map(([table, all]) => [
      table,
      all
        .map((row) => known(String(row)))
        .sort()
        .map((row) => JSON.parse(row)),
    ]),
  );
}
