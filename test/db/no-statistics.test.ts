import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase, testEngine } from "../support/engine.ts";
import { skipOnCitus } from "../support/nodes.ts";
import { okOf, testShop } from "../support/shop.ts";

// A database that was just filled has no statistics, and thinks that a project has few rows in each table. Then it would rather read
// them all and join them than look up the few that a request names.
const { db, open } = await testDatabase();
const USED = 2_000;

test(
  "a redemption reads the state of its own code, however many were used",
  skipOnCitus("its machines count"),
  async () => {
    await db`alter table voucher_states set (autovacuum_enabled = off)`;
    const { ok, project } = await testShop(db);
    const hot = open({ max: 1 });
    const { call } = await testEngine(db, project, { hot });
    for (let n = 0; n < 12; n += 1)
      await ok(`POST /v1/vouchers/C${n}`, { type: "DISCOUNT_VOUCHER", discount: { type: "PERCENT", percent_off: 10 } });
    let sent = 0;
    const redeem = () => okOf(call)(`POST /v1/vouchers/C${sent++}/redemption`, {});
    await redeem();
    await db`
    insert into voucher_states
    select (jsonb_populate_record(s, jsonb_build_object('voucher_id', s.voucher_id || n))).*
    from voucher_states s cross join generate_series(1, ${USED}) n`;
    const read = async () => {
      await hot`select pg_stat_force_next_flush()`;
      const [row] = await db<{ read: number }[]>`
      select (s.idx_tup_fetch + s.seq_tup_read + i.idx_tup_read)::int as read
      from pg_stat_user_tables s join pg_stat_user_indexes i using (relid)
      where s.relname = 'voucher_states' and i.indexrelname = 'voucher_states_pkey'`;
      return row!.read;
    };
    const before = await read();
    for (let n = 0; n < 10; n += 1) await redeem();
    const each = ((await read()) - before) / 10;
    assert.ok(each < 10, `${each} rows for each redemption`);
  },
);
