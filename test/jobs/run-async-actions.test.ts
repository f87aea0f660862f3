import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { test } from "node:test";
import type { CodeConfig } from "../../src/core/codes/generate.ts";
import type { Pool } from "../../src/db/db.ts";
import type { GenerateProgress } from "../../src/flows/promotions/generate-codes.ts";
import type { JobCtx } from "../../src/jobs/job.ts";
import { runAsyncActions } from "../../src/jobs/run-async-actions.ts";
import { insertParts } from "../../src/resources/platform/async-actions/parts-store.ts";
import {
  type AsyncActionType,
  enqueueAsyncAction,
  listActionsToDo,
} from "../../src/resources/platform/async-actions/store.ts";
import { NOW, newId, testDatabase, testProject } from "../support/engine.ts";
import { lockWaits } from "../support/nodes.ts";
import { until } from "../support/storage.ts";

const { db, open, url } = await testDatabase();
const run = (given: Partial<JobCtx> = {}) =>
  runAsyncActions.run({ db, now: () => NOW, newId, random: randomBytes, ...given });

async function world(given: Parameters<typeof testProject>[1] = {}) {
  const { id: project_id } = await testProject(db, given);
  const campaign = async () => {
    const id = newId("camp");
    const kinds = { campaign_type: "DISCOUNT_COUPONS", type: "STATIC", voucher_type: "DISCOUNT_VOUCHER" };
    const statuses = { creation_status: "IN_PROGRESS", vouchers_generation_status: "IN_PROGRESS" };
    await db`insert into campaigns ${db({ project_id, id, name: id, ...kinds, created_at: NOW })}`;
    await db`insert into voucher_templates ${db({ project_id, campaign_id: id, version: 1, settings: {} } as never)}`;
    await db`insert into campaign_codes ${db({ project_id, campaign_id: id, ...statuses })}`;
    return id;
  };
  const enqueue = async (type: AsyncActionType, work: Record<string, unknown>) => {
    const id = newId("aa");
    await enqueueAsyncAction(db, { project_id, id, type, request_id: "req", work, created_at: NOW });
    return id;
  };
  const generate = (
    campaign_id: string,
    count: number,
    code_config: CodeConfig = { length: 12 },
    overrides?: GenerateProgress["overrides"],
  ) => enqueue("CAMPAIGN.VOUCHERS_GENERATE", { campaign_id, count, code_config, ...(overrides && { overrides }) });
  const remove = (campaign_id: string, force: boolean) => enqueue("CAMPAIGN.VOUCHERS_DELETE", { campaign_id, force });
  return { project_id, campaign, enqueue, generate, remove };
}

const actionOf = async (id: string) => (await db`select * from async_actions where id = ${id}`)[0]!;
const campaignOf = async (id: string) => (await db`select * from campaign_codes where campaign_id = ${id}`)[0];
/** How many codes there are, and how many different ones. */
const codesOf = async (campaignId: string) => {
  const [row] = await db`
    select count(*) as all, count(distinct code_folded) as codes, count(distinct created_at) as stamps,
      count(distinct id) as ids
    from vouchers where campaign_id = ${campaignId}`;
  return row!;
};
async function assertExactly(campaignId: string, count: number) {
  assert.deepEqual(await codesOf(campaignId), { all: count, codes: count, stamps: count, ids: count });
  assert.equal((await campaignOf(campaignId))!.vouchers_count, count);
}
/** Whether somebody waits for a lock. */
const isWaiting = async () => (await lockWaits(db)) > 0;
/** Fails when it was called that often: a crash at that point. */
const crashAfter = (calls: number) => {
  let left = calls;
  return (prefix: string) => {
    left -= 1;
    if (left < 0) throw new Error("planted");
    return newId(prefix);
  };
};

test("a generation makes exactly as many codes as wanted, as its pattern says, and tells so", async () => {
  const { project_id, campaign, generate } = await world();
  const id = await campaign();
  const action = await generate(id, 250, { pattern: "SUN-####\\", charset: "ABCdef" });
  let seconds = 0;
  await run({ now: () => `2026-01-01T12:00:${String(seconds++).padStart(2, "0")}.000Z` });
  await assertExactly(id, 250);
  const { status, operation_status, progress, processing_time, result } = await actionOf(action);
  assert.deepEqual([status, operation_status, progress], ["DONE", "SUCCESS", 100]);
  assert.deepEqual(result, { message: "Generated 250 vouchers.", done_count: 250 });
  assert.equal(processing_time, 1_000);
  const { creation_status, vouchers_generation_status } = (await campaignOf(id))!;
  assert.deepEqual([creation_status, vouchers_generation_status], ["DONE", "DONE"]);
  const rows = await db`select * from vouchers where campaign_id = ${id} order by id`;
  for (const { code, code_folded } of rows) {
    assert.match(code, /^SUN-[ABCdef]{4}\\$/);
    assert.equal(code_folded, code.toLowerCase());
  }
  const { id: _, code: __, code_folded: ___, created_at, ...rest } = rows[0]!;
  assert.ok(created_at >= NOW);
  assert.deepEqual(rest, {
    project_id,
    campaign_id: id,
    template_version: null,
    type: "DISCOUNT_VOUCHER",
    settings: null,
    category_id: null,
    active: true,
    additional_info: null,
    published_count: 0,
    holder_id: null,
    referrer_id: null,
    due_at: null,
    updated_at: null,
    deleted_at: null,
  });
  const events = await db`select kind, group_id, payload from events where campaign_id = ${id} order by id`;
  assert.deepEqual(
    events.map(({ kind, group_id, payload }) => [kind, group_id, payload]),
    [
      ["campaign.vouchers.generation.started", "req", { count: 250 }],
      ["campaign.vouchers.generation.completed", "req", { count: 250 }],
    ],
  );
  await run();
  await assertExactly(id, 250);
});

test("what the codes of a generation have of their own is stored as it was sent", async () => {
  const { campaign, generate } = await world();
  const id = await campaign();
  const settings = { quantity: 1, metadata: { text: 'tab\t "quote" \\ back\nline \\N \u2028' } } as never;
  const additional_info = "a\tb\\N\nc\r\\.\n\\";
  await generate(id, 3, {}, { settings, category_id: "cat_1", additional_info, active: false });
  await run();
  for (const row of await db`select * from vouchers where campaign_id = ${id}`) {
    assert.deepEqual(row.settings, settings);
    assert.deepEqual([row.category_id, row.additional_info, row.active], ["cat_1", additional_info, false]);
  }
  await assertExactly(id, 3);
});

test("few codes are made in parts too, so that their progress is seen", async () => {
  const { campaign, generate } = await world();
  const id = await campaign();
  const action = await generate(id, 6_000);
  await assert.rejects(run({ newId: crashAfter(3_000) as never }), /planted/);
  const { status, progress, work } = await actionOf(action);
  assert.deepEqual([status, progress, work.done], ["IN_PROGRESS", 40, 2_400]);
  await run();
  await assertExactly(id, 6_000);
});

test("100,000 codes: each once, each with a moment of its own, and progress in between", async () => {
  const { campaign, generate } = await world();
  const id = await campaign();
  const action = await generate(id, 100_000, { length: 8 });
  const seen = new Set<number>();
  const ended = new AbortController();
  const watching = until("the end", async () => {
    seen.add((await actionOf(action)).progress);
    return ended.signal.aborted;
  });
  await run();
  ended.abort();
  await watching;
  await assertExactly(id, 100_000);
  assert.ok(
    [...seen].some((progress) => progress > 0 && progress < 100),
    `seen: ${[...seen]}`,
  );
});

test("after a crash between two chunks or within one, the next worker goes on: no code is lost or doubled", async () => {
  const { campaign, generate } = await world();
  const id = await campaign();
  const action = await generate(id, 45_000);
  await assert.rejects(run({ newId: crashAfter(30_000) as never }), /planted/);
  await assertExactly(id, 20_000);
  const { status, progress, work } = await actionOf(action);
  assert.deepEqual([status, progress, work.done], ["IN_PROGRESS", 44, 20_000]);
  const between = new AbortController();
  between.abort();
  await run({ signal: between.signal });
  await assertExactly(id, 20_000);
  await run();
  await assertExactly(id, 45_000);
  assert.deepEqual((await actionOf(action)).result, { message: "Generated 45000 vouchers.", done_count: 45_000 });
});

test("a worker that is killed while it copies is replaced by another, which makes exactly what is left", async () => {
  const { campaign, generate } = await world();
  const id = await campaign();
  await generate(id, 80_000);
  const from = (path: string) => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);
  const script = `
    const { openDb } = await import(${from("db/db.ts")});
    const { runAsyncActions } = await import(${from("jobs/run-async-actions.ts")});
    const { newId, now, random } = await import(${from("sources.ts")});
    await runAsyncActions.run({ db: openDb(process.argv[1]), newId, now, random });`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script, url], { stdio: "inherit" });
  await until("it is at work", async () => (await campaignOf(id))!.vouchers_count >= 20_000);
  child.kill("SIGKILL");
  await once(child, "close");
  const before = (await campaignOf(id))!.vouchers_count;
  assert.ok(before < 80_000);
  // The server notices at its next read that nobody is there.
  await until("the action is free", async () => {
    await run();
    return (await campaignOf(id))!.vouchers_count === 80_000;
  });
  await assertExactly(id, 80_000);
});

test("a connection that is lost while codes are copied costs nothing but time", async () => {
  const { campaign, generate } = await world();
  const id = await campaign();
  await generate(id, 60_000);
  const pool = open({ max: 2 });
  const running = run({ db: pool });
  let cut = 0;
  await until("connections were cut", async () => {
    const rows = await db`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query like '%copy vouchers%' and state = 'active'
        and pid <> pg_backend_pid()`;
    cut += rows.length;
    return cut > 0;
  });
  await running.catch(() => {});
  await run();
  await assertExactly(id, 60_000);
});

test("two workers at once make exactly as many codes as wanted, of one action and of several", async () => {
  const { campaign, generate } = await world();
  const [one, two] = [await campaign(), await campaign()];
  await generate(one, 45_000);
  await generate(two, 25_000);
  await generate(two, 10_000);
  const pools: Pool[] = [open(), open()];
  await Promise.all(pools.map((pool) => run({ db: pool })));
  await run();
  await assertExactly(one, 45_000);
  await assertExactly(two, 35_000);
});

test("a small generation does not wait for a large one that was there before it", async () => {
  const { campaign, generate } = await world();
  const [large, small] = [await generate(await campaign(), 45_000), await generate(await campaign(), 10)];
  let n = 0;
  await run({ now: () => new Date(Date.parse(NOW) + 1000 * n++).toISOString() });
  assert.ok((await actionOf(small)).updated_at < (await actionOf(large)).updated_at);
  assert.deepEqual([(await actionOf(small)).status, (await actionOf(large)).status], ["DONE", "DONE"]);
});

test("of more than can take turns, those come first that waited longest, since they came or had a turn", async () => {
  const { campaign, generate } = await world();
  const id = await campaign();
  const [first, second, third] = [await generate(id, 1), await generate(id, 1), await generate(id, 1)];
  await db`update async_actions set status = 'IN_PROGRESS', updated_at = '2026-01-02' where id = ${first}`;
  await db`update async_actions set status = 'IN_PROGRESS', updated_at = '2026-01-01' where id = ${second}`;
  const ids = (await listActionsToDo(db, 10)).map((action) => action.id);
  assert.deepEqual(ids, [second, third, first]);
  assert.equal((await listActionsToDo(db, 2)).length, 2);
  await run();
});

test("a project with 10,000 actions that wait keeps no other one waiting for more than its share of turns", async () => {
  const [full, other, late] = [await world(), await world(), await world()];
  const [id, otherId, lateId] = [await full.campaign(), await other.campaign(), await late.campaign()];
  await db`
    insert into async_actions (project_id, id, type, status, operation_status, request_id, work, created_at)
    select ${full.project_id}, 'aa_many' || n, 'CAMPAIGN.VOUCHERS_GENERATE', 'ENQUEUED', 'UNKNOWN', 'req',
      ${{ campaign_id: id, count: 1, code_config: { length: 12 } } as never}::jsonb, ${NOW}::timestamptz - interval '1 day'
    from generate_series(1, 10000) as n`;
  const small = await other.generate(otherId, 1);
  const turns = (await listActionsToDo(db, 4)).map(({ project_id }) => project_id === other.project_id);
  assert.deepEqual(turns, [false, true, false, false, false]);
  // The time is asked for twice in a turn. After the tenth one another project comes.
  const ending = new AbortController();
  let [asked, coming]: [number, Promise<string> | undefined] = [0, undefined];
  const now = () => {
    asked += 1;
    if (asked === 20) coming = late.generate(lateId, 1);
    if (asked === 80) ending.abort();
    return NOW;
  };
  await run({ now, signal: ending.signal });
  assert.equal((await actionOf(small)).status, "DONE");
  assert.equal((await actionOf(await coming!)).status, "DONE");
  const [{ done }] = await db<[{ done: number }]>`
    select count(*) as done from async_actions where project_id = ${full.project_id} and status = 'DONE'`;
  assert.equal(done, 38);
  await db`delete from async_actions where project_id = ${full.project_id}`;
});

test("codes that differ in case only are one code: the last free ones are found, and then it ends honestly", async () => {
  const { project_id, campaign, generate } = await world();
  const [id, later] = [await campaign(), await campaign()];
  const config = { pattern: "x##", charset: "aAbBcC" };
  await db`insert into vouchers ${db({
    ...{ project_id, id: newId("v"), code: "XAB", code_folded: "xab", type: "DISCOUNT_VOUCHER", settings: {} },
    ...{ created_at: NOW, deleted_at: NOW },
  } as never)}`;
  await generate(id, 8, config);
  await run();
  await assertExactly(id, 8);
  const action = await generate(later, 3, config);
  await run();
  const { status, operation_status, result } = await actionOf(action);
  assert.deepEqual([status, operation_status, result.done_count], ["FAILED", "FAILED", 0]);
  assert.match(result.message, /^Generated 0 of 3 vouchers\. No free code was found in \d+ attempts/);
  assert.equal((await campaignOf(later))!.vouchers_generation_status, "FAILED");
  const [event] = await db`select payload from events where campaign_id = ${later} and kind like '%.failed'`;
  assert.match(event!.payload.error, /No free code/);
});

test("where case counts, each spelling is a code of its own", async () => {
  const { campaign, generate } = await world({ case_sensitive_codes: true });
  const id = await campaign();
  await generate(id, 16, { pattern: "##", charset: "aAbB" });
  await run();
  await assertExactly(id, 16);
});

test("a space of codes is used up to the last one over several chunks; what does not fit is said", async () => {
  const { campaign, generate } = await world();
  const id = await campaign();
  const config = { pattern: "####", charset: "0123456789" };
  await generate(id, 6_000, config);
  await run();
  const [second, third] = [await generate(id, 3_000, config), await generate(id, 2_000, config)];
  await run();
  const results = [(await actionOf(second)).result, (await actionOf(third)).result];
  assert.equal(results[0].done_count + results[1].done_count, 4_000);
  assert.match(results[1].message, /of 2000 vouchers. No free code/);
  await assertExactly(id, 10_000);
});

test("a code that nobody could send is never made: one like the id of a voucher, or with a space around it", async () => {
  const { campaign, generate } = await world();
  const id = await campaign();
  const upper = await generate(id, 1, { prefix: "V_", length: 24, charset: "A" });
  const lower = await generate(id, 2, { prefix: "v_", length: 24, charset: "a" });
  const spaced = await generate(id, 2, { pattern: "#A#", charset: " " });
  await run();
  for (const action of [upper, lower, spaced]) assert.equal((await actionOf(action)).status, "FAILED");
  await assertExactly(id, 0);
});

test("two generations at once leave the campaign done only when both are", async () => {
  const { campaign, generate } = await world();
  const id = await campaign();
  await generate(id, 10);
  const large = await generate(id, 30_000);
  await assert.rejects(run({ newId: crashAfter(25_000) as never }), /planted/);
  assert.equal((await campaignOf(id))!.vouchers_generation_status, "IN_PROGRESS");
  await run();
  assert.equal((await campaignOf(id))!.vouchers_generation_status, "DONE");
  assert.equal((await actionOf(large)).status, "DONE");
});

test("the generation of a campaign in the bin ends, and the codes that it made stay in the bin with it", async () => {
  const { campaign, generate } = await world();
  const id = await campaign();
  const action = await generate(id, 45_000);
  await assert.rejects(run({ newId: crashAfter(30_000) as never }));
  await db`update campaigns set deleted_at = ${NOW} where id = ${id}`;
  await run();
  const { status, result } = await actionOf(action);
  assert.deepEqual(
    [status, result],
    ["FAILED", { message: "Generated 20000 of 45000 vouchers. The campaign was deleted.", done_count: 20_000 }],
  );
  await assertExactly(id, 20_000);
});

test("an action that fails time and again is given up and says so; others go on", async () => {
  const { campaign, generate } = await world();
  const [id, other] = [await campaign(), await campaign()];
  const broken = await generate(id, 10, { length: 12 }, { active: "maybe" as never });
  const fine = await generate(other, 45_000);
  for (let n = 0; n < 4; n += 1) await assert.rejects(run());
  assert.equal((await actionOf(broken)).status, "IN_PROGRESS");
  await assert.rejects(run());
  const { status, operation_status, result } = await actionOf(broken);
  assert.deepEqual([status, operation_status], ["FAILED", "FAILED"]);
  assert.match(result.message, /^Generated 0 of 10 vouchers\. It failed 5 times/);
  await run();
  assert.equal((await actionOf(fine)).status, "DONE");
  await assertExactly(other, 45_000);
});

test("an action that always takes the database too long is given up, after more tries", async () => {
  const { project_id, campaign, generate } = await world();
  const id = await campaign();
  const action = await generate(id, 10);
  const end = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const holding = db.begin(async (tx) => {
    await tx`
      select from campaign_codes where project_id = ${project_id} and campaign_id = ${id}
      order by campaign_id for no key update`;
    held.resolve();
    await end.promise;
  });
  await held.promise;
  const hurried = open({ statementTimeoutMs: 60 });
  let runs = 0;
  for (; runs < 60 && (await actionOf(action)).status !== "FAILED"; runs += 1)
    await assert.rejects(run({ db: hurried }), { code: "57014" }).catch(() => {});
  end.resolve();
  await holding;
  const { status, result } = await actionOf(action);
  assert.equal(status, "FAILED");
  assert.ok(runs >= 20);
  assert.match(result.message, /A part of it took the database too long, 20 times/);
});

test("an action that cannot even be given up properly ends all the same", async () => {
  const { project_id, enqueue } = await world();
  const action = await enqueue("CUSTOMERS.BULK_UPDATE", { parts: 1 });
  await insertParts(db as never, project_id, { actionId: action, parts: [[{ key: "c", fault: "it is wrong" }]] });
  // Neither a turn nor the end of it can begin the report.
  const noFile = (prefix: string) => (prefix === "file" ? assert.fail("planted") : newId(prefix));
  for (let n = 0; n < 5; n += 1) await assert.rejects(run({ newId: noFile as never }));
  const { status, operation_status, result } = await actionOf(action);
  assert.deepEqual([status, operation_status], ["FAILED", "FAILED"]);
  assert.deepEqual(result, { message: "It failed 5 times; the log says why.", done_count: 0 });
  assert.equal((await db`select 1 from async_action_parts where async_action_id = ${action}`).length, 0);
  await run();
});

test("what a deleted project had to do is left alone", async () => {
  const { project_id, campaign, generate } = await world();
  const id = await campaign();
  const action = await generate(id, 5);
  await db`update projects set deleted_at = ${NOW} where id = ${project_id}`;
  await run();
  assert.equal((await actionOf(action)).status, "ENQUEUED");
  await db`delete from async_actions where id = ${action}`;
});

/** A campaign with codes, and around them everything that may belong to one. */
async function fullCampaign() {
  const here = await world();
  const { project_id, campaign, generate } = here;
  const [id, kept] = [await campaign(), await campaign()];
  for (const one of [id, kept]) await generate(one, 12_000);
  await run();
  await db`insert into validation_rules ${db({
    ...{ project_id, id: newId("val"), name: "R", rules: {}, applicable_to: {}, type: "expression" },
    ...{ context_type: "global", created_at: NOW },
  } as never)}`;
  for (const one of [id, kept]) {
    const tier = newId("promo");
    const own = { project_id, campaign_id: one, created_at: NOW };
    await db`insert into promotion_tiers ${db({ ...own, id: tier, name: "T", action: {}, hierarchy: 1 } as never)}`;
    await db`insert into promotion_stacks ${db({ ...own, id: newId("stack"), name: "S", tiers: {} } as never)}`;
    const [voucher] = await db`
      update vouchers set deleted_at = ${NOW} where id = (select min(id) from vouchers where campaign_id = ${one})
      returning id`;
    const [rule] = await db`select id from validation_rules where project_id = ${project_id}`;
    const bin = { project_id, created_at: NOW, resource_name: "X" };
    await db`insert into trash_bin_entries ${db([
      { ...bin, id: newId("tbe"), resource_type: "voucher", resource_id: voucher!.id },
      { ...bin, id: newId("tbe"), resource_type: "campaign", resource_id: one },
    ])}`;
    await db`insert into redeemable_holders ${db({
      ...{ project_id, id: newId("rh"), voucher_id: voucher!.id, campaign_id: one, customer_id: "cust_1" },
      ...{ holder_role: "OWNER", created_at: NOW },
    })}`;
    for (const [kind, subject] of [
      ["voucher", voucher!.id],
      ["promotion_tier", tier],
      ["campaign", one],
    ]) {
      await db`insert into validation_rule_assignments ${db({
        ...{ project_id, id: newId("asgm"), rule_id: rule!.id, created_at: NOW },
        ...{ related_object_type: kind, related_object_id: subject },
      })}`;
      const lock = { project_id, redeemable_id: subject, session_key: "s", quantity: 1, expires_at: NOW };
      await db`insert into session_locks ${db(lock)}`;
      const counter = { project_id, subject_kind: kind, subject_id: subject, period_kind: "total" };
      await db`insert into counters ${db({ ...counter, period_start: "1970-01-01" })}`;
    }
  }
  await db`update campaigns set deleted_at = ${NOW} where id = ${id}`;
  const left = async () => {
    const tables = [
      ...["campaigns", "campaign_codes", "voucher_templates", "promotion_tiers", "promotion_stacks", "vouchers"],
      ...["trash_bin_entries", "redeemable_holders", "validation_rule_assignments", "session_locks", "counters"],
    ];
    const rows = await Promise.all(
      tables.map((table) => db`select count(*) from ${db(table)} where project_id = ${project_id}`),
    );
    return Object.fromEntries(tables.map((table, i) => [table, rows[i]![0]!.count]));
  };
  return { ...here, id, kept, left };
}
const WHOLE = {
  ...{ campaigns: 1, campaign_codes: 1, voucher_templates: 1, promotion_tiers: 1, promotion_stacks: 1 },
  ...{ vouchers: 12_000, trash_bin_entries: 2, redeemable_holders: 1 },
  ...{ validation_rule_assignments: 3, session_locks: 3, counters: 3 },
};
const twice = Object.fromEntries(Object.entries(WHOLE).map(([table, count]) => [table, 2 * count]));

test("a deletion with force takes the codes in chunks, then all that belongs to the campaign, and nothing else", async () => {
  const { project_id, id, remove, left } = await fullCampaign();
  assert.deepEqual(await left(), twice);
  const action = await remove(id, true);
  const revision = async () =>
    (await db`select catalog_revision as revision from tenants where project_id = ${project_id}`)[0]!.revision;
  const before = await revision();
  let chunks = 0;
  const after2 = new AbortController();
  // The time is asked for twice in a chunk.
  const now = () => {
    chunks += 0.5;
    if (chunks === 2) after2.abort();
    return NOW;
  };
  await run({ now, signal: after2.signal });
  const { status, progress } = await actionOf(action);
  assert.deepEqual([status, progress, (await left()).vouchers], ["IN_PROGRESS", 83, 14_000]);
  await run();
  assert.deepEqual(await left(), WHOLE);
  const { status: ended, operation_status, progress: last, result } = await actionOf(action);
  assert.deepEqual([ended, operation_status, last], ["DONE", "SUCCESS", 100]);
  assert.deepEqual(result, { message: "Deleted 12000 vouchers.", done_count: 12_000 });
  assert.equal(await revision(), before + 1);
  const changes = await db`
    select kind from catalog_changes where project_id = ${project_id} and revision = ${before + 1} order by kind`;
  assert.deepEqual(
    changes.map(({ kind }) => kind),
    ["campaign", "promotion_stack", "promotion_tier", "validation_rule_assignment", "validation_rule_assignment"],
  );
});

test("a deletion without force leaves everything where it is and says how many codes there are", async () => {
  const { id, remove, left } = await fullCampaign();
  const action = await remove(id, false);
  await run();
  assert.deepEqual((await actionOf(action)).result, { message: "Deleted 12000 vouchers.", done_count: 12_000 });
  assert.deepEqual(await left(), twice);
});

test("a deletion by several workers while codes are generated leaves none behind", async () => {
  const { campaign, generate, remove } = await world();
  const id = await campaign();
  const generation = await generate(id, 70_000);
  const pools = [open(), open()];
  const generating = run({ db: pools[0]! });
  await until("some are there", async () => (await campaignOf(id))!.vouchers_count > 0);
  await db`update campaigns set deleted_at = ${NOW} where id = ${id}`;
  const deletion = await remove(id, true);
  await Promise.all([generating, run({ db: pools[1]! })]);
  await run();
  assert.equal((await codesOf(id)).all, 0);
  assert.equal(await campaignOf(id), undefined);
  assert.deepEqual([(await actionOf(generation)).status, (await actionOf(deletion)).status], ["FAILED", "DONE"]);
});

test("codes that are copied while their campaign is deleted for good go with it", async () => {
  const { project_id, campaign, generate } = await world();
  const id = await campaign();
  const action = await generate(id, 10);
  const gone = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const erasing = db.begin(async (tx) => {
    await tx`
      select from campaign_codes where project_id = ${project_id} and campaign_id = ${id}
      order by campaign_id for no key update`;
    held.resolve();
    await gone.promise;
    for (const table of ["voucher_templates", "campaign_codes"])
      await tx`delete from ${tx(table)} where campaign_id = ${id}`;
    await tx`delete from campaigns where id = ${id}`;
  });
  await held.promise;
  const running = run();
  await until("the worker waits", isWaiting);
  gone.resolve();
  await Promise.all([erasing, running]);
  assert.equal((await codesOf(id)).all, 0);
  assert.match((await actionOf(action)).result.message, /^Generated 0 of 10 vouchers. The campaign was deleted/);
});

test("a deletion waits for codes that are being added, and takes them too", async () => {
  const { project_id, campaign, remove } = await world();
  const id = await campaign();
  await db`update campaigns set deleted_at = ${NOW} where id = ${id}`;
  const action = await remove(id, true);
  const [added, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const adding = db.begin(async (tx) => {
    const code = { id: newId("v"), code: "LATE", code_folded: "late", type: "DISCOUNT_VOUCHER", created_at: NOW };
    await tx`insert into vouchers ${tx({ project_id, campaign_id: id, ...code })}`;
    await tx`update campaign_codes set vouchers_count = vouchers_count + 1 where campaign_id = ${id}`;
    added.resolve();
    await end.promise;
  });
  await added.promise;
  const running = run();
  await until("the worker waits", isWaiting);
  end.resolve();
  await Promise.all([adding, running]);
  assert.equal((await codesOf(id)).all, 0);
  assert.deepEqual((await actionOf(action)).result, { message: "Deleted 1 vouchers.", done_count: 1 });
});
