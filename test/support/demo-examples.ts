import { openApiJson } from "../../src/cli/openapi.ts";
import { stepAt } from "../../src/core/users/totp.ts";
import type { Pool } from "../../src/db/db.ts";
import { DEMO_SETTINGS } from "../../src/demo/demo-data.ts";
import { loadDemo } from "../../src/demo/load.ts";
import { DEMO_PROJECT_ID, demoClock, demoIds } from "../../src/demo/requests.ts";
import type { Invitation } from "../../src/request.ts";
import { codeIn } from "../../src/resources/platform/users/totp-store.ts";
import { atEndOfFile } from "./end-of-file.ts";
import { type Call, FORM, form, insertRefusal, insertRequest, newId, testEngine, testProject } from "./engine.ts";
import { browserOf, cookiesIn, singleSignOnWith, startProvider, type TestProvider, visit } from "./oidc-provider.ts";
import { NO_KEYS, PASSWORD, signIn } from "./sign-in.ts";
import { UPLOAD, uploadText } from "./uploads.ts";

// The examples of the OpenAPI document as requests, and a server with the demo data that they are for.

const AT = "2026-04-15T16:30:00.000Z";

type Parameter = { in: string; name: string; required?: boolean; example?: unknown };
type Operation = {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { example?: any }> };
};
const { paths } = JSON.parse(openApiJson(AT)) as { paths: Record<string, Record<string, Operation>> };
export const OPERATIONS = new Map(
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => [
      operation.operationId,
      { method: method.toUpperCase(), path, operation },
    ]),
  ),
);

/** The request that the page at /docs sends for an operation as it stands there. */
export function requestOf(id: string) {
  const { method, path, operation } = OPERATIONS.get(id)!;
  const { parameters = [], requestBody } = operation;
  const filled = path.replace(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(String(parameters.find((one) => one.in === "path" && one.name === name)?.example)),
  );
  const query = parameters.filter((one) => one.in === "query" && one.example !== undefined);
  const search = new URLSearchParams(query.map(({ name, example }) => [name, String(example)])).toString();
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const isForm = type === FORM["content-type"];
  const isUpload = type === "multipart/form-data";
  return {
    line: `${method} ${filled}${search && `?${search}`}`,
    body: isForm ? form(content!.example) : isUpload ? uploadText(content!.example) : content?.example,
    headers: isForm ? FORM : isUpload ? UPLOAD : {},
  };
}

/** Invites somebody whom nobody has invited, and names them in the request in place of the one in the example. */
const withUser: Before = async (call, request) => {
  const email = `${newId("erin")}@shop.example`;
  const { line, body } = requestOf("inviteUser");
  await call(line, { ...body, email });
  const here = (text: string) => text.replaceAll("erin%40shop.example", email).replaceAll("erin@shop.example", email);
  request.line = here(request.line);
  if (request.body) request.body = JSON.parse(here(JSON.stringify(request.body)));
};
const invited: Invitation[] = [];
const withInvitation: Before = async (call, request) => {
  await withUser(call, request);
  request.body = { ...request.body, token: invited.at(-1)!.token };
};
/** Somebody who accepted an invitation, in place of the one in the example. */
const withPassword: Before = async (call, request) => {
  await withUser(call, request);
  await call("POST /invitations/accept", { token: invited.at(-1)!.token, password: PASSWORD });
};
/** Somebody who is signed in. */
const withSession: Before = async (call, request) => {
  const signingIn = requestOf("createSession");
  await withPassword(call, signingIn);
  const { headers } = await signIn(call, signingIn.body.email);
  request.headers = { ...request.headers, ...headers };
};
/** Somebody whose app has a secret, and the code that it shows. */
const withTotp: Before = async (call, request) => {
  await withSession(call, request);
  const { secret } = (await call(requestOf("setUpTotp").line, undefined, request.headers)).body;
  request.body = { code: codeIn(secret, stepAt(AT)) };
};
const withSecondFactor: Before = async (call, request) => {
  const confirming = requestOf("confirmTotp");
  await withTotp(call, confirming);
  await call(confirming.line, confirming.body, confirming.headers);
  request.headers = { ...request.headers, ...confirming.headers };
};
/** Somebody who has been at the provider, and what it sent them back with. */
const fromProvider: Before = async (call, request) => {
  const browser = browserOf(call);
  const email = `${newId("sso")}@shop.example`;
  provider!.state.signedInAs = { sub: email, email, email_verified: true };
  const started = await browser.send(requestOf("startSingleSignOn").line, {});
  const { search } = await visit(started.body.url, SIGNED_IN_AT);
  request.body = { query: search.slice(1) };
  request.headers = { ...request.headers, cookie: `laurel_sign_on=${browser.cookies.laurel_sign_on}` };
};
/** The same of somebody who has a password. */
const withAccount: Before = async (call, request) => {
  const finishing = requestOf("finishSingleSignOn");
  await fromProvider(call, finishing);
  const signingIn = requestOf("createSession");
  await withPassword(call, signingIn);
  provider!.state.signedInAs!.email = signingIn.body.email;
  await call(finishing.line, finishing.body, finishing.headers);
  request.headers = { ...request.headers, ...finishing.headers };
};
/** Somebody who has a password, and is signed in through the provider. */
const withIdentity: Before = async (call, request) => {
  const confirming = requestOf("confirmSingleSignOn");
  await withAccount(call, confirming);
  const reply = await call(confirming.line, confirming.body, confirming.headers);
  const cookie = `laurel_session=${cookiesIn(reply).laurel_session}`;
  request.headers = { ...request.headers, ...NO_KEYS, cookie, "x-laurel-csrf": reply.body.session.csrf_token };
};
const withRole: Before = async (call, request) => {
  const { line, body } = requestOf("createRole");
  const role = (await call(line, { ...body, name: newId("role") })).body.id;
  request.line = request.line.replace("role_000000000000000000000000", role);
};
const withKey: Before = async (call, request) => {
  const { line, body } = requestOf("createKey");
  const key = (await call(line, body)).body.id;
  request.line = request.line.replace("00000000-0000-0000-0000-000000000000", key);
};
/** The newest entry of a log, and one of the installation at least. */
const withEntry =
  (list: string): Before =>
  async (call, request) => {
    await withUser(call, requestOf("getUser"));
    const [entry] = (await call(requestOf(list).line)).body.data;
    request.line = request.line.replace("aud_000000000000000000000000", entry.id);
  };
/** A server of tests logs no request, so one is put into the log. */
const withRequest =
  (of: "project" | "installation"): Before =>
  async (call, request) => {
    const projectId = of === "project" ? (await call(requestOf("getProject").line)).body.id : "";
    const id = await insertRequest(projectId, "WELCOME10", "alice");
    request.line = request.line.replace("v-000000000000000000000000", id);
  };
const withRefusal: Before = async (call, request) => {
  const id = await insertRefusal((await call(requestOf("getProject").line)).body.id, "WELCOME10", "alice");
  request.line = request.line.replace("rfsl_000000000000000000000000", id);
};
const withName =
  (field: string): Before =>
  async (_, request) => {
    request.body = { ...request.body, [field]: `${newId("new")}@shop.example` };
  };

type Before = (call: Call, request: ReturnType<typeof requestOf>) => Promise<unknown>;
/** What an example needs first, because a project has only one of it or because a token is a secret. */
export const BEFORE: Record<string, Before> = {
  // Users and roles belong to the installation, and so the demo data has none.
  getAuditEntry: withEntry("listAuditLog"),
  getAuditEntryOfProject: withEntry("listAuditLogOfProject"),
  getAuditEntryOfInstallation: withEntry("listAuditLogOfInstallation"),
  getLoggedRequest: withRequest("project"),
  getLoggedRequestOfProject: withRequest("project"),
  getLoggedRequestOfInstallation: withRequest("installation"),
  getRefusal: withRefusal,
  getUser: withUser,
  assignUser: withUser,
  updateUserRole: withUser,
  resendInvitation: withUser,
  createInvitationLink: withUser,
  disableUser: withUser,
  enableUser: async (call, request) => {
    await withUser(call, request);
    await call(request.line.replace(/enable$/, "disable"));
  },
  updateRole: withRole,
  getKey: withKey,
  rotateKey: withKey,
  disableKey: withKey,
  createRole: withName("name"),
  inviteUser: withName("email"),
  createSession: withPassword,
  createSessionWithLink: withInvitation,
  acceptPasswordReset: withInvitation,
  updateOwnPassword: withSession,
  finishSingleSignOn: fromProvider,
  confirmSingleSignOn: withAccount,
  unlinkSingleSignOn: withIdentity,
  getSession: withSession,
  deleteSession: withSession,
  listOwnSessions: withSession,
  endOtherSessions: withSession,
  endOwnSession: async (call, request) => {
    await withSession(call, request);
    const { data } = (await call("GET /management/v1/sessions", undefined, request.headers)).body;
    request.line = request.line.replace("0000000000000000", data[0].id);
  },
  setUpTotp: withSession,
  confirmTotp: withTotp,
  removeTotp: withSecondFactor,
  acceptInvitation: withInvitation,
  readInvitation: withInvitation,
  createBranding: (call) => call(requestOf("deleteBranding").line),
  createStackingRules: (call) => call(requestOf("deleteStackingRules").line),
  revokeOauthToken: async (call, request) => {
    const { line, body, headers } = requestOf("createOauthToken");
    const { access_token } = (await call(line, body, headers)).body;
    request.body = form({ access_token });
  },
};
/** The demo has none of these, or the operation is there only to refuse. */
export const NOT_THERE = ["getLocation", "getTaskResult", "getExport", "createPublicationByGet"];
/** These change what other examples need. */
export const LAST = ["createBranding", "createStackingRules", "moveTestClock"];

const SIGNED_IN_AT = "https://laurel.example/sign-in/callback";
let provider: TestProvider | undefined;

/** A server with the demo data as a first start loads it, and calls that mean its project. */
export async function demoServer(db: Pool) {
  const project = await testProject(db, DEMO_SETTINGS);
  const clock = demoClock(() => AT);
  const ids = demoIds(newId);
  const sendInvitation = async (invitation: Invitation) => void invited.push(invitation);
  provider ??= await startProvider([SIGNED_IN_AT]);
  atEndOfFile(async () => {
    await provider?.close();
    provider = undefined;
  });
  const singleSignOn = singleSignOnWith(provider, SIGNED_IN_AT, { domains: ["shop.example"] });
  const options = { now: clock.now, newId: ids.newId, v2Auth: "either", sendInvitation, singleSignOn } as const;
  const { app, call } = await testEngine(db, project, options);
  await loadDemo(app, { projectId: project.id, keys: project, clock, ids, historyDays: 0 });
  const here = (text: string) => text.replaceAll(DEMO_PROJECT_ID, project.id);
  const send: Call = (line, body, headers) =>
    call(here(line), typeof body === "object" ? here(JSON.stringify(body)) : body, {
      origin: "http://localhost",
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    });
  return { call: send, project };
}
