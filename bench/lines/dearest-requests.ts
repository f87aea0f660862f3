import { setTimeout as wait } from "node:timers/promises";
import { createKey } from "../../src/flows/platform/create-project.ts";
import { newSecret, now } from "../../src/sources.ts";
import { cpuOf } from "../cpu.ts";
import type { BenchProject, Lab, Server } from "../lab.ts";
import type { Line } from "../line.ts";

/** What one request may take of one core, in milliseconds. */
const ALLOWED_MS = 250;
const LINES = 500;
const RULES = 10;
const CODES = 30;
const REPEATS = 3;

const items = Array.from({ length: LINES }, (_, n) => ({ product_id: `p${n}`, price: 1000 + n, quantity: 2 }));
const order = { items };
const vouchers = (codes: readonly string[]) => codes.map((id) => ({ object: "voucher", id }));
const onItems = { type: "PERCENT", percent_off: 1, effect: "APPLY_TO_ITEMS" };
const formula = Array(35).fill("POW(ORDER_ITEM_PRICE;0.37)").join("+");

/** The rules of the code that once took four seconds: 12 nodes of 1,000 products each. */
const rule = (r: number) => ({
  name: `r${r}`,
  rules: Object.fromEntries(
    Array.from({ length: 12 }, (_, n) => [
      String(n + 1),
      {
        name: "order.items.any",
        conditions: { $is_not: Array.from({ length: 1000 }, (_, i) => ({ id: `${r}_${n}_${i}`, object: "product" })) },
      },
    ]),
  ),
});

/** A quarter of the values is below it: others that use the machine make a request look dearer, never cheaper. */
const lowerQuartile = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 2]!;

type Request = readonly [path: string, body: object];

/** As many codes apply together as a request may name. */
async function allowCodes(lab: Lab, server: Server, { id }: BenchProject): Promise<void> {
  const { id: key, secret } = await lab.db.begin((tx) =>
    createKey(tx, { newSecret, now: now() }, { kind: "management", project_id: null, name: "bench" }),
  );
  const manager = { id, headers: { "X-Management-Id": key, "X-Management-Token": secret } };
  const rules = { applicable_redeemables_limit: CODES };
  await server.call(manager, `POST /management/v1/projects/${id}/stacking-rules`, rules);
}

const BUSY_MAX = 60;
const BUSY_MS = 500;

/** One that costs too much is answered with a refusal. A busy server is asked again, as whoever calls it should. */
async function send(server: Server, project: BenchProject, request: Request, tries = 1): Promise<void> {
  const [path, body] = request;
  const reply = await fetch(server.url + path, {
    method: "POST",
    headers: { ...project.headers, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await reply.text();
  if (reply.status === 503 && tries < BUSY_MAX) {
    await wait(BUSY_MS);
    return send(server, project, request, tries + 1);
  }
  if (!reply.ok && !text.includes("request_too_expensive")) throw new Error(`${path}: ${reply.status} ${text}`);
}

/** The dearest requests that a client can send, one at a time. Those over the budget are refused when it is used up. */
export const dearestRequests: Line = {
  name: "dearest-requests",
  floor: 1,
  aim: 0.5,
  better: "lower",
  run: async (lab, { quick }) => {
    const server = await lab.startServer();
    const project = await lab.createProject("Dearest requests");
    const ok = <T>(request: string, body: object) => server.call<T>(project, request, body);
    await allowCodes(lab, server, project);
    // A call that took too long is sent again, and may have made the code the first time.
    const make = (code: string, body: object) =>
      ok(`POST /v1/vouchers/${code}`, body).catch((error: Error) => {
        if (!error.message.includes("duplicate_found")) throw error;
      });
    const rules: string[] = [];
    for (let r = 0; r < RULES; r += 1) rules.push((await ok<{ id: string }>("POST /v1/validation-rules", rule(r))).id);
    const ruled = Array.from({ length: 5 }, (_, n) => `RULED${n}`);
    for (const code of ruled) await make(code, { discount: onItems, validation_rules: rules });
    const powers = { type: "AMOUNT", amount_off: 1, amount_off_formula: formula, effect: "APPLY_TO_ITEMS" };
    await make("POWERS", { discount: powers });
    const plain = Array.from({ length: CODES }, (_, n) => `PLAIN${n}`);
    for (const code of plain) await make(code, { discount: onItems });
    await lab.settle();
    const expand = { options: { expand: ["order", "trace"] } };
    const requests: Readonly<Record<string, Request>> = {
      "validation of 5 codes with 10 rules": ["/v1/validations", { redeemables: vouchers(ruled), order }],
      "validation of 35 powers": ["/v1/validations", { redeemables: vouchers(["POWERS"]), order }],
      "validation of 30 codes with a trace": ["/v1/validations", { redeemables: vouchers(plain), order, ...expand }],
      "redemption of 30 codes": ["/v1/redemptions", { redeemables: vouchers(plain), order }],
      qualification: ["/v1/qualifications", { order, options: { limit: 50, sorting_rule: "BEST_DEAL" } }],
    };
    const rounds = quick ? 1 : 8;
    const found: { what: string; ms: number }[] = [];
    for (const [what, request] of Object.entries(requests)) {
      const ask = () => send(server, project, request);
      for (let n = 0; n < (quick ? 1 : 6); n += 1) await ask();
      const each: number[] = [];
      for (let n = 0; n < rounds; n += 1) {
        const before = cpuOf(server.pid);
        // Several, for the clock of the CPU ticks every 10 ms.
        for (let m = 0; m < REPEATS; m += 1) await ask();
        const after = cpuOf(server.pid);
        if (before !== null && after !== null) each.push(((after - before) * 1000) / REPEATS);
      }
      if (each.length > 0) found.push({ what, ms: lowerQuartile(each) });
    }
    await server.stop();
    const dearest = Math.max(...found.map(({ ms }) => ms));
    return {
      title: `the dearest requests on ${LINES} lines, CPU of the server`,
      unit: "ms CPU",
      baseline: ALLOWED_MS,
      engine: dearest,
      ratio: found.length === 0 ? null : dearest / ALLOWED_MS,
      notes: found.map(({ what, ms }) => `${what} ${ms.toFixed(0)} ms`),
    };
  },
};
