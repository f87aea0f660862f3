import assert from "node:assert/strict";
import fs from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { recordVersions } from "../../src/catalog/audit.ts";
import { NOW, newId, testDatabase, testEngine, testProject } from "../support/engine.ts";
import { assertRefused } from "../support/http.ts";
import { makeOneOfEverything } from "../support/one-of-everything.ts";
import { testShop } from "../support/shop.ts";

const { db, open } = await testDatabase();
const LOG = "/v1/audit-log";
const WHOLE = "/management/v1/audit-log";

/** A shop, and its log: the newest entry first, whole. */
async function setUp() {
  const shop = await testShop(db);
  const entries = async (query = ""): Promise<any[]> => (await shop.ok(`GET ${LOG}?limit=100&${query}`)).data;
  const last = async (query = "") => shop.ok(`GET ${LOG}/${(await entries(query))[0].id}`);
  return { ...shop, entries, last };
}

test("audit log: create, update and delete of an object, each with who, when, before and after", async () => {
  const { ok, last, entries, project } = await setUp();
  const { id } = await ok("POST /v1/categories", { name: "Summer", hierarchy: 1 });
  const content = { id, name: "Summer", hierarchy: 1, created_at: "2026-01-01T12:00:00+00:00" };
  const created = await last();
  assert.match(created.id, /^aud_[0-9a-f]{24}$/);
  assert.match(created.request_id, /^v-/);
  const who = {
    actor: { type: "server_key", id: project.app.id, name: "default" },
    created_at: "2026-01-01T12:00:00.000Z",
  };
  assert.deepEqual(created, {
    ...{
      id: created.id,
      request_id: created.request_id,
      kind: "category",
      object_id: id,
      object: "audit_entry",
      ...who,
    },
    ...{ action: "CREATED", operation: "createCategory", version_before: null, version_after: 1 },
    ...{ before: null, after: content },
  });
  await ok(`PUT /v1/categories/${id}`, { hierarchy: 2 });
  const updated = await last();
  assert.deepEqual([updated.action, updated.version_before, updated.version_after], ["UPDATED", 1, 2]);
  assert.deepEqual([updated.before, updated.after], [content, { ...content, hierarchy: 2 }]);
  await ok(`DELETE /v1/categories/${id}`);
  const deleted = await last();
  assert.deepEqual([deleted.action, deleted.version_before, deleted.version_after], ["DELETED", 2, null]);
  assert.deepEqual([deleted.before, deleted.after], [{ ...content, hierarchy: 2 }, null]);
  assert.deepEqual(
    (await entries(`object_id=${id}`)).map(({ action }) => action),
    ["DELETED", "UPDATED", "CREATED"],
  );
});

test("audit log: saving a thing as it is makes no version, and a content that it had before is stored once", async () => {
  const { ok, entries, last } = await setUp();
  const { id } = await ok("POST /v1/categories", { name: "A", hierarchy: 1 });
  await ok(`PUT /v1/categories/${id}`, { name: "A" });
  await ok(`PUT /v1/categories/${id}`, {});
  assert.equal((await entries()).length, 1);
  for (const name of ["B", "A", "B", "A"]) await ok(`PUT /v1/categories/${id}`, { name });
  const { before, after, version_after } = await last();
  assert.deepEqual([before.name, after.name, version_after], ["B", "A", 5]);
  const bodies = await db`select number from audit_log where object_id = ${id} and body is not null order by number`;
  assert.deepEqual(
    bodies.map(({ number }) => number),
    [1, 2],
  );
});

test("audit log: a refused write leaves no entry, and a repeated one no second", async () => {
  const { ok, call, entries } = await setUp();
  await ok("POST /v1/categories", { name: "Taken", hierarchy: 1 });
  const key = { "idempotency-key": newId("key") };
  assertRefused(await call("POST /v1/categories", { name: "Taken", hierarchy: 1 }, key), "duplicate_found");
  assertRefused(await call("PUT /v1/categories/cat_none", { name: "x" }), "not_found");
  const again = { "idempotency-key": newId("key") };
  for (let n = 0; n < 2; n += 1) await ok("POST /v1/categories", { name: "Once", hierarchy: 1 }, again);
  assert.equal((await entries()).length, 2);
});

test("audit log: redemptions, balances, stock and customers change no version", async () => {
  const { ok, entries } = await setUp();
  const campaign = await ok("POST /v1/campaigns", {
    ...{ name: "Gifts", campaign_type: "GIFT_VOUCHERS", vouchers_count: 1 },
    voucher: { type: "GIFT_VOUCHER", gift: { amount: 1000 } },
  });
  const reward = await ok("POST /v1/rewards", {
    name: "Mug",
    type: "MATERIAL",
    stock: 5,
    parameters: { product: { id: (await ok("POST /v1/products", { name: "Mug" })).id } },
  });
  await ok("POST /v1/segments", {
    name: "Everybody",
    type: "auto-update",
    filter: { junction: "and", name: { conditions: { $is: ["Ann"] } } },
  });
  await ok("POST /v1/vouchers/TEN", { discount: { type: "PERCENT", percent_off: 10 } });
  const before = await entries();
  assert.ok(
    before.some(({ object_id }) => object_id === campaign.id) &&
      before.some(({ object_id }) => object_id === reward.id),
  );
  await ok("POST /v1/customers", { source_id: "ann", name: "Ann" });
  await ok("POST /v1/redemptions", {
    redeemables: [{ object: "voucher", id: "TEN" }],
    order: { amount: 1000 },
    customer: { source_id: "ann" },
  });
  await ok("POST /v1/vouchers/TEN/validate", { order: { amount: 1000 } });
  await ok("POST /v1/publications", { customer: { source_id: "ann" }, campaign: { name: "Gifts" } });
  await ok(`PUT /v1/rewards/${reward.id}`, { stock: 3 });
  assert.deepEqual(await entries(), before);
  assert.ok(!JSON.stringify(await db`select body from audit_log`).includes('"ann"'), "no customer is in a version");
});

test("audit log: a campaign's version holds what it gives its codes, and what was made with it has its own", async () => {
  const { ok, last, entries } = await setUp();
  const discount = { type: "PERCENT", percent_off: 10 };
  const { id } = await ok("POST /v1/campaigns", {
    name: "Ten",
    campaign_type: "DISCOUNT_COUPONS",
    voucher: { discount },
  });
  assert.deepEqual((await last()).after.voucher.discount, discount);
  await ok(`PUT /v1/campaigns/${id}`, { description: "More" });
  const { before, after } = await last();
  assert.deepEqual([before.description, after.description], [null, "More"]);
  const promotion = { tiers: [{ name: "t", banner: "b", action: { discount } }] };
  await ok("POST /v1/campaigns", { name: "Tiers", campaign_type: "PROMOTION", promotion });
  assert.deepEqual(
    (await entries())
      .slice(0, 2)
      .map(({ kind }) => kind)
      .sort(),
    ["campaign", "promotion_tier"],
  );
  await ok(`DELETE /v1/campaigns/${id}`);
  assert.equal((await last()).action, "DELETED");
});

test("audit log: pages and filters", async () => {
  const { ok, call, entries, project } = await setUp();
  const made: string[] = [];
  for (let n = 0; n < 5; n += 1) made.unshift((await ok("POST /v1/categories", { name: `c ${n}`, hierarchy: n })).id);
  const rule = await ok("POST /v1/validation-rules", { name: "Rule" });
  const stacking = await ok(`POST /management/v1/projects/${project.id}/stacking-rules`, {});
  const walk = async () => {
    const seen: string[] = [];
    for (let next: string | undefined = ""; next !== undefined; ) {
      const page: any = await ok(`GET ${LOG}?limit=2${next && `&starting_after_id=${next}`}`);
      assert.equal(page.has_more, page.more_starting_after !== undefined);
      seen.push(...page.data.map(({ object_id }: any) => object_id));
      next = page.more_starting_after;
    }
    return seen;
  };
  assert.deepEqual(await walk(), [stacking.id, rule.id, ...made]);
  const ids = async (query: string) => (await entries(query)).map(({ object_id }) => object_id);
  assert.deepEqual(await ids("kind=category"), made);
  assert.deepEqual(await ids(`object_id=${made[2]}`), [made[2]]);
  assert.deepEqual(await ids("actor_type=management_key"), [stacking.id]);
  assert.deepEqual(await ids(`actor_id=${project.management.id}`), [stacking.id]);
  assert.deepEqual(await ids("operation=createValidationRule"), [rule.id]);
  assert.deepEqual(await ids("created_at[after]=2026-01-01T12:00:00Z"), []);
  assert.equal((await ids("created_at[after]=2026-01-01T11:59:59Z&created_at[before]=2026-01-01T12:00:01Z")).length, 7);
  assertRefused(await call(`GET ${LOG}?limit=101`), "invalid_query_params");
  assertRefused(await call(`GET ${LOG}?actor_type=nobody`), "invalid_query_params");
  assertRefused(await call(`GET ${LOG}?starting_after_id=aud_none`), "not_found");
  // Where the clock was moved, ids do not tell what is newest.
  await db`update audit_log set created_at = '2025-06-01' where project_id = ${project.id} and object_id = ${rule.id}`;
  assert.deepEqual(await walk(), [stacking.id, ...made, rule.id]);
});

test("audit log: a project is read by its own keys and by management keys, and by no other project", async () => {
  const { ok, call, project, entries } = await setUp();
  await ok("POST /v1/categories", { name: "Mine", hierarchy: 1 });
  const [entry] = await entries();
  const managed = `/management/v1/projects/${project.id}/audit-log`;
  assert.deepEqual((await ok(`GET ${managed}`)).data, [entry]);
  assert.deepEqual(await ok(`GET ${managed}/${entry.id}`), await ok(`GET ${LOG}/${entry.id}`));
  const other = await setUp();
  assert.deepEqual(await other.entries(), []);
  assertRefused(await other.call(`GET ${LOG}/${entry.id}`), "not_found", `Cannot find audit_entry with id ${entry.id}`);
  assertRefused(await call(`GET ${WHOLE}/${entry.id}`), "not_found");
  assertRefused(await call("GET /management/v1/projects/proj_none/audit-log"), "not_found");
  for (const path of [LOG, `${LOG}/${entry.id}`])
    assertRefused(await call(`GET ${path}`, undefined, { "x-app-token": "wrong" }), "unauthorized");
  for (const path of [managed, `${managed}/${entry.id}`, WHOLE, `${WHOLE}/${entry.id}`])
    assertRefused(await call(`GET ${path}`, undefined, { "x-management-token": "wrong" }), "unauthorized");
});

test("audit log: users, roles and projects are in the log of the installation, without names, addresses and secrets", async () => {
  const { ok, project } = await setUp();
  const log = async (object_id: string) => {
    const { data } = await ok(`GET ${WHOLE}?object_id=${object_id}`);
    return Promise.all(data.map(({ id }: any) => ok(`GET ${WHOLE}/${id}`)));
  };
  const email = `${newId("ann")}@shop.example`;
  await ok("POST /management/v1/projects/users/invite", {
    ...{ email, first_name: "Annabel", last_name: "Archer", projects: { [project.id]: "USER" } },
  });
  const path = `/management/v1/projects/${project.id}/users/${email}`;
  const { id } = await ok(`GET ${path}`);
  await ok(`PUT ${path}`, { role: "VIEWER" });
  const [updated, created] = (await log(id)) as [any, any];
  const invited = { status: "INVITED", invitation_until: "2026-01-08T12:00:00+00:00" };
  assert.deepEqual(created.after, { id, is_owner: false, ...invited, projects: { [project.id]: "USER" } });
  assert.deepEqual(updated.after.projects, { [project.id]: "VIEWER" });
  assert.deepEqual(updated.actor, { type: "management_key", id: project.management.id, name: "test" });

  const role = await ok("POST /management/v1/roles", { name: newId("r"), permissions: ["vouchers.read"] });
  await ok(`PUT /management/v1/roles/${role.id}`, { permissions: [] });
  await ok(`DELETE /management/v1/roles/${role.id}`);
  assert.deepEqual(
    (await log(role.id)).map(({ action }: any) => action),
    ["DELETED", "UPDATED", "CREATED"],
  );

  const made = await ok("POST /management/v1/projects", {
    ...{ name: "New", timezone: "UTC", currency: "EUR", case_sensitive_codes: false },
  });
  await ok(`PUT /management/v1/projects/${made.id}`, { name: "Newer" });
  await ok(`DELETE /management/v1/projects/${made.id}`);
  const [gone, renamed] = (await log(made.id)) as [any, any];
  assert.deepEqual([gone.action, renamed.before.name, renamed.after.name], ["DELETED", "New", "Newer"]);
  const stored = JSON.stringify(await db`select body from audit_log`);
  for (const text of [email, "Annabel", made.webhook_token]) assert.ok(!stored.includes(text), text);
});

test("audit log: a new project logs its keys, and the roles that owners and others are given with it", async () => {
  const { ok, project } = await setUp();
  const newUser = async (name: string) => {
    const email = `${newId(name as "cat")}@shop.example`;
    await ok("POST /management/v1/projects/users/invite", {
      ...{ email, first_name: name, last_name: name, projects: { [project.id]: "USER" } },
    });
    const { id } = await ok(`GET /management/v1/projects/${project.id}/users/${email}`);
    return { id, email };
  };
  const [owner, user] = [await newUser("owner"), await newUser("user")];
  await db`update users set is_owner = true where id = ${owner.id}`;
  const made = await ok("POST /management/v1/projects", {
    ...{ name: "New", timezone: "UTC", currency: "EUR", case_sensitive_codes: false },
    users: [{ login: user.email, role: "VIEWER" }],
  });
  const lastOf = async (object_id: string) => {
    const [{ id }] = (await ok(`GET ${WHOLE}?object_id=${object_id}`)).data;
    return ok(`GET ${WHOLE}/${id}`);
  };
  const actor = { type: "management_key", id: project.management.id, name: "test" };
  for (const [{ id }, role] of [
    [owner, "ADMIN"],
    [user, "VIEWER"],
  ] as const) {
    const entry = await lastOf(id);
    assert.deepEqual([entry.operation, entry.actor, entry.action], ["createProject", actor, "UPDATED"]);
    assert.deepEqual(entry.after.projects, { [project.id]: "USER", [made.id]: role });
  }
  const key = await lastOf(`app/${made.server_side_key.app_id}`);
  assert.deepEqual([key.kind, key.action, key.actor, key.after.project_id], ["key", "CREATED", actor, made.id]);
  assert.deepEqual(
    Object.keys(key.after).filter((name) => /secret|hash|used/.test(name)),
    [],
  );
  // Two at once give the same owner a role each: both are logged, one after the other.
  const body = { name: "Twin", timezone: "UTC", currency: "EUR", case_sensitive_codes: false };
  await Promise.all([ok("POST /management/v1/projects", body), ok("POST /management/v1/projects", body)]);
  assert.equal(Object.keys((await lastOf(owner.id)).after.projects).length, 4);
  await db`update users set is_owner = false where id = ${owner.id}`;
});

test("audit log: a change of the secret of webhooks says who and when, and not the secret", async () => {
  const { ok, entries, last, project } = await setUp();
  const path = `POST /management/v1/projects/${project.id}/webhook-secret/rotate`;
  const { previous_until, webhook_token } = await ok(path);
  const entry = await last("kind=webhook_secret");
  assert.deepEqual(
    [entry.operation, entry.actor, entry.object_id],
    ["rotateWebhookSecret", { type: "management_key", id: project.management.id, name: "test" }, project.id],
  );
  assert.equal(Date.parse(entry.after.previous_until), Date.parse(previous_until));
  assert.ok(!JSON.stringify(await db`select body from audit_log`).includes(webhook_token));
  assert.equal((await entries("kind=webhook_secret")).length, 1);
});

test("audit log: another value of a webhook's header is a version, which does not show the value", async () => {
  const { ok, entries, last, project } = await setUp();
  const path = `/management/v1/projects/${project.id}/webhooks`;
  const of = (password: string) => ({
    target_url: "https://shop.example/hooks",
    events: ["customer.created"],
    headers: { authorization: password },
  });
  const { id } = await ok(`POST ${path}`, of("open sesame"));
  await ok(`PUT ${path}/${id}`, of("open sesame"));
  assert.equal((await entries("kind=webhook")).length, 1);
  await ok(`PUT ${path}/${id}`, of("open barley"));
  const { action, before, after } = await last("kind=webhook");
  assert.equal(action, "UPDATED");
  assert.deepEqual([before.headers, after.headers], [["authorization"], ["authorization"]]);
  assert.notEqual(before.headers_digest, after.headers_digest);
  assert.ok(!JSON.stringify(await db`select body from audit_log`).includes("open "));
});

test("audit log: keys begin as they are, so that disabling an old one has a before", async () => {
  const { project } = await setUp();
  await db`delete from audit_log where kind = 'key'`;
  const migration = fs.readFileSync(join(import.meta.dirname, "../../migrations/0069_keys_and_tests.sql"), "utf8");
  const [begins] = migration.split("-- A test is sent once");
  await db.begin((tx) => tx.unsafe(begins!));
  const origin = {
    actor: { type: "cli" as const, id: "laurel" },
    operation: "x",
    request_id: null,
    created_at: NOW,
    newId,
  };
  const change = { project_id: "", kind: "key" as const, id: `app/${project.app.id}` };
  const log = () => db.begin((tx) => recordVersions(tx, origin, [change]));
  const versions = () => db`select action from audit_log where object_id = ${change.id} order by number`;
  await log();
  assert.equal((await versions()).length, 1, "it is as a write would log it");
  await db`update keys set disabled_at = ${NOW} where kind = 'app' and id = ${project.app.id}`;
  await log();
  assert.deepEqual(
    (await versions()).map(({ action }) => action),
    [null, "UPDATED"],
  );
});

test("audit log: who accepts an invitation is its user", async () => {
  let token = "";
  const sendInvitation = async (invitation: { token: string }) => {
    token = invitation.token;
  };
  const shop = await testShop(db, {}, { sendInvitation });
  const email = `${newId("bea")}@shop.example`;
  await shop.ok("POST /management/v1/projects/users/invite", {
    ...{ email, first_name: "B", last_name: "B", projects: { [shop.project.id]: "USER" } },
  });
  const { id } = await shop.ok("POST /invitations/accept", { token, password: "correct horse battery" });
  const [entry] = (await shop.ok(`GET ${WHOLE}?object_id=${id}`)).data;
  assert.deepEqual([entry.operation, entry.actor], ["acceptInvitation", { type: "user", id, name: "B B" }]);
});

test("audit log: a template that is copied is logged in the project that it goes to", async () => {
  const { ok, project } = await setUp();
  const campaign = await ok("POST /v1/campaigns", {
    name: "c",
    voucher: { discount: { type: "PERCENT", percent_off: 10 } },
  });
  const template = await ok("POST /v1/templates/campaigns", { name: "t", campaign_id: campaign.id });
  const other = await setUp();
  const copy = await ok(`POST /management/v1/projects/${project.id}/templates/campaigns/${template.id}/copy`, {
    ...{ destination_project_id: other.project.id, name: "copied" },
  });
  assert.deepEqual(
    (await other.entries()).map(({ kind, object_id }) => [kind, object_id]),
    [["campaign_template", copy.id]],
  );
});

test("audit log: two changes at once have two numbers, and each says what it found", async () => {
  const { ok, entries } = await setUp();
  const { id } = await ok("POST /v1/categories", { name: "A", hierarchy: 0 });
  await Promise.all([1, 2, 3, 4, 5, 6].map((hierarchy) => ok(`PUT /v1/categories/${id}`, { hierarchy })));
  const all = await Promise.all((await entries()).map((one) => ok(`GET ${LOG}/${one.id}`)));
  const byNumber = all.toSorted((a, b) => a.version_after - b.version_after);
  assert.deepEqual(
    byNumber.map(({ version_after }) => version_after),
    [1, 2, 3, 4, 5, 6, 7],
  );
  for (const [n, one] of byNumber.entries()) assert.deepEqual(one.before, byNumber[n - 1]?.after ?? null);
});

test("audit log: whatever is changed, in whatever order, the last version is what is stored", async () => {
  const { ok, call, entries, last } = await setUp();
  const { id } = await ok("POST /v1/categories", { name: "law", hierarchy: 0 });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 3 }), async (hierarchy) => {
      const before = (await entries())[0];
      const shown = (await call(`GET /v1/categories/${id}`)).body;
      await ok(`PUT /v1/categories/${id}`, { hierarchy });
      const { after, version_after } = await last();
      assert.equal(after.hierarchy, hierarchy);
      assert.equal(version_after, before.version_after + (shown.hierarchy === hierarchy ? 0 : 1));
    }),
    { numRuns: 20 },
  );
});

test("audit log: a configuration write has one statement more, whatever it changes, and a redemption none", async () => {
  const statements: string[] = [];
  const watched = open({ max: 4, onQuery: (text) => void statements.push(text.replace(/\s+/g, " ").trim()) });
  const project = await testProject(db);
  const { call } = await testEngine(watched, project, { hot: watched, own: true });
  const send = async (line: string, body: object) => {
    statements.length = 0;
    const reply = await call(line, body);
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  };
  const { id } = await send("POST /v1/categories", { name: "A", hierarchy: 1 });
  await send(`PUT /v1/categories/${id}`, { name: "B" });
  // Credentials are asked for on other connections.
  const own = statements.filter((text) => !/^(?:begin|commit|select (?:k\.|pg_))/i.test(text));
  assert.deepEqual(
    own.map((text) => text.split(" ").slice(0, 3).join(" ")),
    ['update "categories" set', "update tenants set", "insert into audit_log", "insert into catalog_changes"],
  );
  const discount = { type: "PERCENT", percent_off: 10 };
  const promotion = { tiers: ["a", "b", "c"].map((name) => ({ name, banner: name, action: { discount } })) };
  await send("POST /v1/campaigns", { name: "Tiers", campaign_type: "PROMOTION", promotion });
  const logging = () => statements.filter((text) => text.includes("audit_log"));
  assert.equal(logging().length, 1, "one for a campaign and its tiers together");
  await send("POST /v1/vouchers/TEN", { discount });
  await send("POST /v1/redemptions", { redeemables: [{ object: "voucher", id: "TEN" }], order: { amount: 1000 } });
  assert.ok(statements.length > 0);
  assert.deepEqual(logging(), []);
});

test("audit log: it begins with every object as a write would log it, so that the first change has a before", async () => {
  const { ok, call, project } = await testShop(db);
  await makeOneOfEverything(call, project);
  const latest = () => db`
    select distinct on (kind, object_id) kind, object_id, hash from audit_log where project_id = ${project.id}
    order by kind, object_id, number desc`;
  const before = (await latest()).filter(({ hash }) => hash !== null).map((row) => ({ ...row }));
  assert.ok(new Set(before.map(({ kind }) => kind)).size > 15);
  await db`delete from audit_log`;
  const migration = fs.readFileSync(join(import.meta.dirname, "../../migrations/0064_audit_log_begins.sql"), "utf8");
  await db.begin((tx) => tx.unsafe(migration));
  assert.deepEqual(
    (await latest()).map((row) => ({ ...row })),
    before,
  );
  const category = before.find(({ kind }) => kind === "category")!.object_id;
  assert.deepEqual((await ok(`GET ${LOG}`)).data, [], "nobody did that");
  await ok(`PUT /v1/categories/${category}`, { hierarchy: 99 });
  const [entry] = (await ok(`GET ${LOG}`)).data;
  const { action, before: old, after } = await ok(`GET ${LOG}/${entry.id}`);
  assert.deepEqual([action, old.hierarchy, after.hierarchy], ["UPDATED", 1, 99]);
});
