import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type { JobCtx } from "../../src/jobs/job.ts";
import { runAsyncActions } from "../../src/jobs/run-async-actions.ts";
import { NOW, newId, type testDatabase } from "./engine.ts";
import { kindsOf } from "./events.ts";
import { assertErrorBody } from "./http.ts";
import { testShop } from "./shop.ts";

type Pool = Awaited<ReturnType<typeof testDatabase>>["db"];

export const jobsOf = (db: Pool): JobCtx => ({ db, now: () => NOW, newId, random: randomBytes });

/** A project with loyalty programs of v1, and what a shop does with their cards. */
export async function cardWorld(db: Pool) {
  const { project, call, ok } = await testShop(db);
  const refused = async (request: string, body: unknown, code: number, key: string, details?: RegExp | string) => {
    const reply = await call(request, body);
    assertErrorBody(reply);
    assert.deepEqual([reply.status, reply.body.key], [code, key], reply.text);
    if (typeof details === "string") assert.equal(reply.body.details, details);
    else if (details) assert.match(reply.body.details, details);
  };
  const program = (name: string, loyalty_card: object = { points: 0 }, more: object = {}) =>
    ok("POST /v1/campaigns", {
      name,
      campaign_type: "LOYALTY_PROGRAM",
      type: "AUTO_UPDATE",
      voucher: { type: "LOYALTY_CARD", loyalty_card },
      ...more,
    });
  const join = (campaign: string, who: string, more: object = {}) =>
    ok(`POST /v1/loyalties/${encodeURIComponent(campaign)}/members`, { customer: { source_id: who }, ...more });
  const add = (code: string, points: number, more: object = {}) =>
    ok(`POST /v1/loyalties/members/${code}/balance`, { points, ...more });
  const member = (code: string) => ok(`GET /v1/loyalties/members/${code}`);
  const card = async (code: string) => (await member(code)).loyalty_card;
  /** Moves the clock of the project; `isSwept`: also what is due happens. */
  const move = async (now: string, { isSwept = true } = {}) => {
    const reply = await call(`POST /management/v1/projects/${project.id}/test-clock`, { now });
    assert.equal(reply.status, 202, reply.text);
    while (isSwept) {
      await runAsyncActions.run(jobsOf(db));
      const action = await ok(`GET /v1/async-actions/${reply.body.async_action_id}`);
      if (action.status === "DONE") break;
    }
  };
  const transactions = async (code: string) =>
    (await ok(`GET /v1/loyalties/members/${code}/transactions?limit=100`)).data;
  const kinds = () => kindsOf(db, project.id);
  return { project, call, ok, refused, program, join, add, member, card, move, transactions, kinds };
}
