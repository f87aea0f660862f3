import { createHash, randomBytes } from "node:crypto";
import { appendFileSync } from "node:fs";
import { deflateRawSync } from "node:zlib";
import type { FastifyInstance } from "fastify";
import pino from "pino";
import { createCatalogs } from "../../src/catalog/catalog.ts";
import { createIds } from "../../src/core/ids.ts";
import { RECURSIVE_SCHEMAS } from "../../src/core/recursive-schemas.ts";
import type { RequestRow } from "../../src/core/rows/request.ts";
import { createLanes } from "../../src/db/batches/batch.ts";
import { createBehind } from "../../src/db/batches/behind.ts";
import { transaction } from "../../src/db/batches/commit.ts";
import { openDb, type Pool } from "../../src/db/db.ts";
import { createSecretBox } from "../../src/db/secrets/secret-box.ts";
import { createShares } from "../../src/db/shares.ts";
import { markSpread } from "../../src/db/spread/nodes.ts";
import { createKey, createProject } from "../../src/flows/platform/create-project.ts";
import type { Engine } from "../../src/http/engine.ts";
import { createMetrics } from "../../src/http/metrics.ts";
import { buildServer } from "../../src/http/mount.ts";
import { answerSchema, type Route } from "../../src/http/route.ts";
import { compileBody } from "../../src/http/validation.ts";
import { saveRefusals } from "../../src/resources/checkout/refusals/keeping-store.ts";
import { appendBytes, completeFile, createFile } from "../../src/resources/platform/files/store.ts";
import type { ProjectCreate } from "../../src/resources/platform/projects/schema.ts";
import { insertRequests } from "../../src/resources/platform/request-log/store.ts";
import { ALL_ROUTES } from "../../src/routes.ts";
import { atEndOfFile } from "./end-of-file.ts";
import { createOnNodes, dropOnNodes, NODES } from "./nodes.ts";

export const NOW = "2026-01-01T12:00:00.000Z";
const SERVER_URL = process.env.TEST_SERVER_URL ?? "";

// A test that is not about limits must not fail because the machine is busy with all the others.
const [STATEMENT_MS, REQUEST_MS] = [60_000, 120_000];

/** A database of this test file: a copy of the migrated template. */
export async function testDatabase() {
  // To drop a database the server writes all that is not on the disk yet, whatever limit a statement has.
  const admin = openDb(SERVER_URL, { max: 1, statementTimeoutMs: REQUEST_MS });
  const name = `test_${process.pid}_${++databases}`;
  const template = process.env.TEST_TEMPLATE ?? "template";
  const isCluster = NODES.length > 0;
  if (isCluster) await createOnNodes(name, template);
  else await admin`create database ${admin(name)} template ${admin(template)} strategy file_copy`;
  const url = SERVER_URL.replace(/\w+$/, name);
  lastUrl = url;
  const directory = openDb(url, { max: 2, statementTimeoutMs: STATEMENT_MS });
  const pools: Pool[] = [directory];
  if (isCluster) markSpread([directory]);
  const open = (options?: Parameters<typeof openDb>[1], via = url) => {
    const pool = openDb(via, { statementTimeoutMs: STATEMENT_MS, ...options });
    pools.push(pool);
    if (isCluster) markSpread([pool]);
    if (via === url) directories.set(pool, directory);
    return pool;
  };
  atEndOfFile(async () => {
    await Promise.all(pools.map((pool) => pool.end({ timeout: 1 })));
    if (isCluster) await dropOnNodes(name);
    else await admin`drop database ${admin(name)} with (force)`;
    await admin.end();
  });
  return { url, open, db: open() };
}
let databases = 0;
let lastUrl = "";
/** As in `main`, credentials and the catalog have connections of their own. */
const directories = new WeakMap<Pool, Pool>();

/** No operation makes a location, so this does, in the database of this test file. */
export async function insertLocation(projectId: string, name: string, given: object = {}): Promise<string> {
  const db = openDb(lastUrl, { max: 1 });
  const shape = { type: "circle", format: "distance", distance: { center: "52.23,21.01", radius: "5 km" } };
  const row = { project_id: projectId, id: newId("loc"), name, shape, created_at: NOW, updated_at: null, ...given };
  await db`insert into locations ${db(row as never)}`;
  await db.end();
  return row.id;
}

/** No operation makes a report yet, so this does, in the database of this test file. */
export async function insertReport(project_id: string, name: string, content: string): Promise<string> {
  const db = openDb(lastUrl, { max: 1 });
  const file = { project_id, id: newId("file"), kind: "report", name, content_type: "text/csv" } as const;
  await transaction(db, async (tx) => {
    await createFile(tx, { ...file, is_personal: true, now: NOW });
    await appendBytes(tx, file, Buffer.from(content));
    await completeFile(tx, file);
  });
  await db.end();
  return file.id;
}

/** A server of tests logs no request unless it is told to, so this does, in the database of this test file. */
export async function insertRequest(
  projectId: string,
  code: string,
  customer: string,
  given: Partial<RequestRow> = {},
): Promise<string> {
  const db = openDb(lastUrl, { max: 1 });
  const id = makeId("v", "-");
  const call = { method: "GET", route: "/v1/vouchers/{code}", url: `/v1/vouchers/${code}`, operation: "getVoucher" };
  const answer = { status: 404, error_key: "not_found", duration_ms: 1.5, channel: null };
  const bodies = { request_body: null, response_body: JSON.stringify({ key: "not_found", details: code }) };
  const about = { codes: [code], customers: [customer], names: { code: [code.toLowerCase()], customer: [customer] } };
  const by = { key_kind: "app" as const, key_id: `key of ${projectId}` };
  const row = { id, created_at: NOW, ...call, ...answer, ...by, ...bodies, ...about, ...given };
  await insertRequests(db, projectId, [row]);
  await db.end();
  return id;
}

/** A server of tests keeps no refusal unless it is told to, so this does, in the database of this test file. */
export async function insertRefusal(projectId: string, code: string, customer: string): Promise<string> {
  const db = openDb(lastUrl, { max: 1 });
  const id = newId("rfsl");
  const details = deflateRawSync(JSON.stringify({ url: "/v1/validations", request: null, answer: null, trace: null }));
  const redeemable = { object: "voucher", id: code, campaign_id: null, reason: "not_found" };
  const row = {
    ...{ id, created_at: NOW, request_id: makeId("v", "-"), kind: "validation" as const, status: 200 },
    ...{ operation: "validateStackedDiscounts", reason: "not_found", message: "Resource not found" },
    ...{ redemption_id: null, key_kind: "app" as const, key_id: `key of ${projectId}`, channel: null },
    ...{ codes: [code], customers: [customer], redeemables: [{ ...redeemable, check: "exists", rule_id: null }] },
    ...{ bytes: details.length, details: `\\x${details.toString("hex")}` },
  };
  const names = { code: [code.toLowerCase()], customer: [customer], campaign: [], reason: ["not_found"] };
  const counted = [{ hour: NOW, campaign_id: "", reason: "not_found", count: 1 }];
  const batch = { id: newId("rfsl"), at: NOW, counts: counted, refusals: [{ row, names, counted }] };
  await transaction(db, (tx) => saveRefusals(tx, projectId, batch, { now: NOW }));
  await db.end();
  return id;
}

let count = 0;
/** Ids and secrets that count up, different in every test file. */
const makeId = createIds(
  () => 1_767_268_800_000 + ++count,
  () => (++count % 251) * 0x010101,
);
export const newId = (prefix: string) => makeId(prefix);
export const newSecret = () => createHash("sha256").update(`${process.pid} ${++count}`).digest("hex");

/** Every test runs with secrets that are encrypted. */
/** What a command needs to read what a test has stored. */
export const LAUREL_SECRET_KEY = "5e".repeat(32);
export const secretBox = createSecretBox(LAUREL_SECRET_KEY, randomBytes);

export type TestProject = {
  id: string;
  app: { id: string; secret: string };
  client: { id: string; secret: string };
  management: { id: string; secret: string };
  /** All three pairs: each operation reads the one it asks for. */
  headers: Record<string, string>;
};

/** A fresh project is perfect isolation: nothing needs cleaning. */
export async function testProject(
  db: Pool,
  given: Partial<ProjectCreate> & { is_sandbox?: boolean; now?: string } = {},
): Promise<TestProject> {
  const { is_sandbox = true, now = NOW, ...body } = given;
  const sources = { newId, newSecret, secretBox, now, is_sandbox };
  // Run again as `createProject` is: on several machines two who write keys may wait for each other.
  return transaction(db, async (tx) => {
    const defaults = { name: "Test", timezone: "UTC", currency: "EUR", case_sensitive_codes: false };
    const { project, app, client } = await createProject(tx, sources, { ...defaults, ...body });
    const management = await createKey(tx, sources, { kind: "management", project_id: null, name: "test" });
    const headers = {
      "x-app-id": app.id,
      "x-app-token": app.secret,
      "x-client-application-id": client.id,
      "x-client-token": client.secret,
      "x-management-id": management.id,
      "x-management-token": management.secret,
    };
    return { id: project.id, app, client, management, headers };
  });
}

export type Reply = { status: number; body: any; text: string; headers: Record<string, unknown> };
export type Call = (request: string, body?: unknown, headers?: Record<string, string>) => Promise<Reply>;
/**
 * `own`: a server that no other test uses, since it is changed. `random`: its refusals are not noted, since requests at
 * random are refused with other errors each time.
 */
type EngineOptions = Partial<Engine> & { routes?: readonly Route[]; hot?: Pool; own?: true; random?: true };
type Server = { app: FastifyInstance; engine: Engine };

async function startServer(db: Pool, options: EngineOptions): Promise<Server> {
  const report = (error: unknown) => console.error(error);
  const { routes = ALL_ROUTES, hot = db, own: _, random, ...more } = options;
  // Without room: a test finds what it wrote when it has its answer.
  const { behind = createBehind(hot, { waitingMax: 0, report }) } = options;
  const engine: Engine = {
    // A test that is not about shares has as many as it likes; its pool has fewer connections.
    share: createShares(Array.from({ length: 100 }, () => db)),
    behind,
    submit: createLanes(hot, { behind, timeoutMs: REQUEST_MS, report }),
    directory: directories.get(db) ?? db,
    catalogs: createCatalogs(directories.get(db) ?? db, { bytesMax: 2 ** 26 }),
    metrics: createMetrics(),
    newId,
    newSecret,
    secretBox,
    newRequestId: () => makeId("v", "-"),
    now: () => NOW,
    sendInvitation: async () => {},
    log: pino({ level: process.env.TEST_LOG ?? "silent" }),
    v2Auth: "all",
    bodyLimitBytes: 1_048_576,
    publicUrl: "",
    importLimitBytes: 2 ** 31,
    requestTimeoutMs: REQUEST_MS,
    rateLimits: { app: 0, client: 0, management: 0, bulk: 0 },
    strangersMax: 0,
    wrongCodesMax: 0,
    vouchersCountMax: 1_000_000,
    processes: 1,
    trustProxy: false,
    eventLoopDelayMaxMs: 0,
    // Whoever calls every operation gets to the end of this one too.
    streamMs: 20,
    onAnswer: checkAnswer,
    ...more,
  };
  const app = await buildServer(routes, engine);
  app.addHook("onSend", async (request, reply, payload) => {
    const { operation } = request.routeOptions.config;
    if (operation && !random && reply.statusCode >= 400 && typeof payload === "string")
      noteRefusal(operation, reply.statusCode, payload);
    return payload;
  });
  atEndOfFile(() => app.close());
  return { app, engine };
}

/** The servers without options, and whose requests each of them has seen. */
const plain = new WeakMap<Pool, (Server & { projects: Set<string> })[]>();

/**
 * A server that is built once for many projects. Two that a test starts for one project stand for two processes, so they
 * are two.
 */
async function plainServer(db: Pool, project: TestProject): Promise<Server> {
  const built = plain.getOrInsertComputed(db, () => []);
  let server = built.find(({ projects }) => !projects.has(project.id));
  if (!server) {
    server = { ...(await startServer(db, {})), projects: new Set() };
    built.push(server);
  }
  server.projects.add(project.id);
  return server;
}

/** A server in this process, with a clock that stands still unless it is told otherwise. It checks its own answers. */
export async function testEngine(db: Pool, project: TestProject, options: EngineOptions = {}) {
  const isPlain = Object.keys(options).length === 0;
  const { app, engine } = await (isPlain ? plainServer(db, project) : startServer(db, options));
  const { routes = ALL_ROUTES } = options;
  // What v2 asks for beside the pair. It is asked for once for each moment, since time may go on beyond its life.
  const tokens = new Map<string, Promise<string>>();
  const bearerAt = (now: string): Promise<string> =>
    tokens.getOrInsertComputed(now, async () => {
      const payload = form({ grant_type: "client_credentials", scope: "api" });
      const sent = { ...project.headers, ...FORM };
      const reply = await app.inject({ method: "POST", url: "/v1/oauth/token", headers: sent, payload });
      return `Bearer ${reply.json().access_token}`;
    });
  const call: Call = async (request, body, given = {}) => {
    const [method, url] = request.split(" ") as ["GET", string];
    const isV2 = url.startsWith("/v2/") && routes === ALL_ROUTES && given.authorization === undefined;
    const headers = isV2 ? { authorization: await bearerAt(engine.now()), ...given } : given;
    const payload = body === undefined ? {} : { payload: typeof body === "string" ? body : JSON.stringify(body) };
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const reply = await app.inject({ method, url, headers: { ...project.headers, ...type, ...headers }, ...payload });
    const isJson = String(reply.headers["content-type"]).startsWith("application/json");
    const text = reply.body;
    return { status: reply.statusCode, body: isJson && text ? JSON.parse(text) : null, text, headers: reply.headers };
  };
  return { app, call, engine };
}

/** Sends a form, as the token operations take it. */
export const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
export const FORM = { "content-type": "application/x-www-form-urlencoded" };

const refused = new Set<string>();

/** The run looks at its end whether every refusal stands in the OpenAPI document. */
function noteRefusal({ id }: Route, status: number, payload: string): void {
  const line = `${id} ${status} ${JSON.parse(payload).key}`;
  if (!process.env.REFUSED_FILE || refused.has(line)) return;
  refused.add(line);
  appendFileSync(process.env.REFUSED_FILE, `${line}\n`);
}

const succeeded = new Set<string>();

/** The run looks at its end whether every operation succeeded once. */
function noteSuccess({ id }: Route): void {
  if (!process.env.SEEN_FILE || succeeded.has(id)) return;
  succeeded.add(id);
  appendFileSync(process.env.SEEN_FILE, `${id}\n`);
}

const compiled = new Map<unknown, ReturnType<typeof compileBody>>();

/** Every answer of an operation matches its schema, with no field that the schema does not name. */
export function checkAnswer(route: Route, status: number, body: string): void {
  if (status >= 300) return;
  noteSuccess(route);
  const schema = (status === 202 && route.accepted) || route.ok;
  const check = compiled.get(schema) ?? compileAnswer(schema === route.ok ? answerSchema(route) : schema);
  compiled.set(schema, check);
  const value = body === "" ? null : JSON.parse(body);
  if (!check(value))
    throw new Error(`${route.id} answered outside its schema: ${JSON.stringify(check.errors)}\n${body}`);
}

const compileAnswer = (schema: object) =>
  compileBody({ ...(closed(schema) as object), $defs: closed(RECURSIVE_SCHEMAS) });

/** In an answer an object has the fields that its schema names and no others. Only a map that has a name is free. */
export function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  const { type, properties, additionalProperties: others, title } = inner;
  if (properties) return { ...inner, additionalProperties: typeof others === "object" ? others : false };
  const isObject = [type].flat().includes("object");
  if (isObject && typeof others !== "object" && (others !== true || typeof title !== "string"))
    throw new Error(`an answer has an object without fields and without a name: ${JSON.stringify(schema)}`);
  return inner;
}
