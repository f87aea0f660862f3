import { type Served, serve, tempDir } from "./child.ts";
import { type TestProject, type testDatabase, testProject } from "./engine.ts";
import { okOf } from "./shop.ts";

export type Reply = { status: number; body: any; text: string };
export type Request = { line: string; body?: unknown; headers?: Record<string, string> };
export type Send = (request: Request, server?: number) => Promise<Reply>;

/** Two server processes on the database of this test file. Each has a data directory of its own. */
export const twoServers = ({ url }: Pick<Awaited<ReturnType<typeof testDatabase>>, "url">): Promise<Served[]> =>
  Promise.all(
    [1, 2].map(() => serve({ DATABASE_URL: url, LAUREL_DATA_DIR: tempDir(), LAUREL_JOBS: "off", LAUREL_DOCS: "off" })),
  );

/** What a server logged, but that a busy machine needed more than five seconds for a new connection. */
export const errorsOf = ({ seen }: Pick<Served, "seen">): string[] =>
  seen.stderr.split("\n").filter((line) => line !== "" && !line.includes('"code":"CONNECT_TIMEOUT"'));

/** Sends to one of the servers, in turn where none is named. */
export function sender(servers: readonly Pick<Served, "url">[], project: Pick<TestProject, "headers">): Send {
  let turn = 0;
  return async ({ line, body, headers = {} }, server = turn++) => {
    const [method, path] = line.split(" ") as [string, string];
    const reply = await fetch(`${servers[server % servers.length]!.url}${path}`, {
      method,
      headers: { ...project.headers, ...headers, ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(600_000),
    });
    const text = await reply.text();
    return { status: reply.status, body: text && JSON.parse(text), text };
  };
}

/** As many clients as given, each of which sends its next request when the last one is answered. */
export async function inParallel<A>(
  count: number,
  one: (n: number) => Promise<A>,
  { clients = 64 }: { clients?: number } = {},
): Promise<A[]> {
  const answers: A[] = new Array(count);
  let next = 0;
  const client = async () => {
    for (let n = next++; n < count; n = next++) answers[n] = await one(n);
  };
  await Promise.all(Array.from({ length: Math.min(clients, count) }, client));
  return answers;
}

const discount = { type: "PERCENT", percent_off: 10 };
export const atMost = (name: string, n: number) => ({
  1: { name, conditions: { $less_than_or_equal: [n] } },
  logic: "1",
});
export const voucher = (id: string, more: object = {}) => ({ object: "voucher", id, ...more });
export const credits = (id: string, amount: number) => voucher(id, { gift: { credits: amount } });

/** A project of its own, and what the tests make in it. */
export async function worldOf(
  db: Parameters<typeof testProject>[0],
  send: (project: TestProject) => Send,
  project?: TestProject,
) {
  const own = project ?? (await testProject(db));
  const call = send(own);
  const ok = okOf((line, body) => call({ line, body }));
  const rule = async (rules: object): Promise<string> =>
    (await ok("POST /v1/validation-rules", { name: "r", rules })).id;
  const code = (name: string, more: object = {}) =>
    ok(`POST /v1/vouchers/${name}`, { type: "DISCOUNT_VOUCHER", discount, ...more });
  const gift = (name: string, amount: number, more: object = {}) =>
    ok(`POST /v1/vouchers/${name}`, { type: "GIFT_VOUCHER", gift: { amount, balance: amount }, ...more });
  /** A campaign with so many codes, `<name>-0` and so on. */
  const campaign = async (name: string, codes: number, more: object = {}) => {
    const body = { name, voucher: { type: "DISCOUNT_VOUCHER", discount }, ...more };
    const made = await ok("POST /v1/campaigns", body);
    for (let n = 0; n < codes; n += 1) await ok(`POST /v1/campaigns/${made.id}/vouchers/${name}-${n}`, {});
    return made;
  };
  const redeeming = (redeemables: readonly object[], more: object = {}): Request => ({
    line: "POST /v1/redemptions",
    body: { redeemables, order: { amount: 1000 }, ...more },
  });
  return { project: own, send: call, ok, rule, code, gift, campaign, redeeming };
}
export type World = Awaited<ReturnType<typeof worldOf>>;
