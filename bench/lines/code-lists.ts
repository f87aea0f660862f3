import type { Pool } from "../../src/db/db.ts";
import { listVouchers } from "../../src/resources/promotions/vouchers/list-store.ts";
import { vouchersOf } from "../../src/resources/promotions/vouchers/state-store.ts";
import { type Line, median } from "../line.ts";

const ROUNDS = 5;
/** One code of four was used, half of those as often as they can be. */
const USED = 4;

/** A campaign with so many codes, and beside them the same rows in one table: what a code is, with what it was used for. */
async function fill(db: Pool, projectId: string, count: number): Promise<void> {
  const settings = { quantity: 2, metadata: {}, start_date: null, expiration_date: null };
  await db`
    insert into voucher_templates (project_id, campaign_id, version, settings)
    select project_id, id, voucher_version, ${settings as never} from campaigns where project_id = ${projectId}
    on conflict (project_id, campaign_id, version) do update set settings = excluded.settings`;
  await db`
    insert into vouchers (project_id, id, code, code_folded, campaign_id, type, created_at)
    select project_id, 'v_' || lpad(to_hex(n), 24, '0'), 'L-' || n, 'l-' || n, id, 'DISCOUNT_VOUCHER',
      now() + n * interval '1 microsecond'
    from campaigns cross join generate_series(1, ${count}::int) n where project_id = ${projectId}`;
  const uses = { day: ["2026-01-01", 1, 0], week: ["2025-12-29", 1, 0], month: ["2026-01-01", 1, 0], keys: { key: 1 } };
  await db`
    insert into voucher_states (project_id, voucher_id, redeemed_quantity, uses, updated_at)
    select project_id, id, 1 + (hashtext(id) & 1), ${uses as never}, created_at + interval '1 hour' from vouchers
    where project_id = ${projectId} and abs(hashtext(code) % ${USED}) = 0 order by hashtext(id)`;
  await db`create table one_table as select * from ${vouchersOf(db, projectId)} as v`;
  await db`alter table one_table add primary key (project_id, id)`;
  await db`create index on one_table (project_id, created_at, id) where deleted_at is null`;
}

/** The list as it was asked for while all of a code stood in one row. */
async function listOneTable(db: Pool, projectId: string, { isUsedUp }: { isUsedUp: boolean }) {
  const from = db`one_table
    left join (select c.id as of_campaign, c.voucher_version as newest
      from campaigns c where c.project_id = ${projectId} and c.deleted_at is null) as campaign on of_campaign = campaign_id
    left join (select t.campaign_id as of_template, t.version as of_version, t.settings as template
      from voucher_templates t where t.project_id = ${projectId}) as template
      on of_template = campaign_id and of_version = coalesce(template_version, newest)
    cross join lateral (select coalesce(settings, template) as worth) as w
    where project_id = ${projectId} and deleted_at is null and (campaign_id is null or of_campaign is not null)
      and ${isUsedUp ? db`coalesce(redeemed_quantity >= (worth ->> 'quantity')::bigint, false)` : db`true`}`;
  const order = isUsedUp ? db`created_at desc, id desc` : db`updated_at desc, id desc`;
  const [rows, counts] = await Promise.all([
    db<{ id: string }[]>`select one_table.* from ${from} order by ${order} limit 10`,
    db<{ total: number }[]>`select count(*) as total from ${from}`,
  ]);
  return { rows, total: counts[0]!.total };
}

async function seconds(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return (performance.now() - start) / 1000;
}

export const codeLists: Line = {
  name: "code-lists",
  floor: 1,
  aim: 1,
  better: "higher",
  run: async (lab, { quick }) => {
    const { db } = lab;
    const server = await lab.startServer();
    const project = await lab.createProject("Code lists");
    const voucher = { discount: { type: "PERCENT", percent_off: 10 }, redemption: { quantity: 2 } };
    await server.call(project, "POST /v1/campaigns", { name: "Lists", voucher, vouchers_count: 0 });
    await server.stop();
    await fill(db, project.id, quick ? 1_000 : 1_000_000);
    await lab.settle();
    const of = { id: project.id, case_sensitive_codes: false };
    const now = "2026-01-01T00:00:00.000Z";
    const usedUp = { redemption_status: { conditions: { $redeemed: true } } };
    const parts = [
      { name: "order=-updated_at", isUsedUp: false, query: { order: "-updated_at" as const } },
      { name: "redemption_status", isUsedUp: true, query: { filters: usedUp as never } },
    ];
    const found: { name: string; baseline: number; engine: number }[] = [];
    for (const { name, isUsedUp, query } of parts) {
      const two = () => listVouchers(db, of, { ...query, now });
      const one = () => listOneTable(db, project.id, { isUsedUp });
      const [mine, other] = [await two(), await one()];
      const shown = ({ rows, total }: { rows: readonly { id: string }[]; total: number }) =>
        JSON.stringify([total, rows.map(({ id }) => id)]);
      if (shown(mine) !== shown(other)) throw new Error(`${name}: the lists differ`);
      for (let round = 0; round < ROUNDS; round += 1)
        found.push({ name, baseline: await seconds(one), engine: await seconds(two) });
    }
    const ratioOf = (some: typeof found) => median(some.map(({ baseline, engine }) => baseline / engine));
    return {
      title: "Lists of 1,000,000 codes by order=-updated_at and by redemption_status, against all of a code in one row",
      unit: "lists/s",
      baseline: 1 / median(found.map(({ baseline }) => baseline)),
      engine: 1 / median(found.map(({ engine }) => engine)),
      ratio: Math.min(...parts.map(({ name }) => ratioOf(found.filter((one) => one.name === name)))),
      notes: parts.map(({ name }) => `${name}: ${ratioOf(found.filter((one) => one.name === name)).toFixed(2)}`),
    };
  },
};
