import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, test } from "node:test";
import { findChromium, openPage } from "./browser.ts";
import { eventually, headersIn, serve, tempDir } from "./child.ts";
import { testDatabase } from "./support.ts";

const chromium = findChromium();
const MISSING =
  "no Chromium on this machine: the page of the demo was NOT tried in a browser (set CHROMIUM, or install it)";
const skip = chromium === null && process.env.REQUIRE_BROWSER !== "1" ? MISSING : false;

const { url: DATABASE_URL } = await testDatabase();
const LAUREL_DATA_DIR = tempDir();
const env = { DATABASE_URL, LAUREL_DATA_DIR, LAUREL_WRONG_CODES_MAX: "100" };
const { url } = await serve({ ...env, LAUREL_DEMO: "on" });
const headers = (kind: string) => headersIn(join(LAUREL_DATA_DIR, "credentials", `${kind}.headers`));

const json = async (path: string, kind = "app", body?: object) => {
  const reply = await fetch(`${url}${path}`, {
    headers: { ...headers(kind), "content-type": "application/json" },
    ...(body && { method: "PUT", body: JSON.stringify(body) }),
  });
  return reply.json() as Promise<any>;
};
const [{ id: projectId }] = (await json("/management/v1/projects", "management")).data;
const setProject = (body: object) => json(`/management/v1/projects/${projectId}`, "management", body);

test("the page is there with the demo only, under a policy that lets nothing in, and tells its keys to itself", async () => {
  const page = await fetch(`${url}/demo`);
  assert.deepEqual([page.status, page.headers.get("content-type")], [200, "text/html; charset=utf-8"]);
  const policy = page.headers.get("content-security-policy")!;
  assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'sha256-[^']+'; connect-src 'self';/);
  assert.doesNotMatch(policy, /unsafe|\*|https?:/);
  const script = await fetch(`${url}/demo/page.js`);
  assert.match(script.headers.get("content-type")!, /^text\/javascript/);
  assert.doesNotMatch((await page.text()) + (await script.text()), /(?:https?:)?\/\/[\w.-]+\.\w+|<script>/);
  const keysFor = async (site?: string) =>
    (await fetch(`${url}/demo/keys`, { headers: site ? { "sec-fetch-site": site } : {} })).json();
  const { "X-Client-Application-Id": id, "X-Client-Token": token } = headers("client");
  assert.deepEqual(await keysFor("same-origin"), { id, token });
  for (const site of ["cross-site", "same-site", undefined])
    assert.deepEqual(await keysFor(site), { id: "", token: "" });

  const plain = await serve({ ...env, LAUREL_DEMO: "off" });
  for (const path of ["/demo", "/demo/page.js", "/demo/keys"])
    assert.equal((await fetch(plain.url + path)).status, 404);
});

test("in a browser: a click tracks an event and validates a code, and what is wrong is told", { skip }, async (t) => {
  const page = await openPage(chromium ?? assert.fail(MISSING));
  /** Clicks and waits for what the page says: what came of it, and what is wrong. */
  const send = async (form: string) => {
    const parts = `[...document.querySelectorAll("#${form} [role]")]`;
    // What it said before is marked: the click is on its way when it has been sent, and not yet there.
    await page.evaluate(`void ${parts}.map((part) => part.firstChild && (part.firstChild.isOld = true))`);
    await page.click(`#${form} button`);
    const said = `${parts}.some((part) => part.firstChild) && ${parts}.every((part) => !part.firstChild?.isOld)`;
    await eventually(() => page.evaluate(said), `#${form} says something`);
    return page.evaluate(`${parts}.map((part) => part.textContent)`);
  };
  await page.goTo(`${url}/demo`);
  await eventually(() => page.evaluate("'ready' in document.documentElement.dataset"), "the script has run");

  await t.test("the keys are filled in, and every field has a label and every button a name", async () => {
    assert.match(await page.evaluate("document.forms.keys.elements.token.value"), /^[0-9a-f]{64}$/);
    assert.deepEqual(await page.evaluate("[...document.querySelectorAll('input')].map((one) => one.labels.length)"), [
      ...Array(7).fill(1),
    ]);
    assert.equal(await page.evaluate("document.title !== '' && document.documentElement.lang === 'en'"), true);
  });

  await t.test("an event is tracked, and the customer's activity has it", async () => {
    const [told, wrong] = await send("event");
    assert.deepEqual([told, wrong], ["Tracked store_visited of bob.", ""]);
    const { data } = await json("/v1/customers/bob/activity?type=customer.custom_event&limit=1");
    assert.deepEqual([data[0].data.event.type, data[0].data.event.metadata.store], ["store_visited", "Oslo"]);
  });

  await t.test("a code is validated for the amount that is typed in", async () => {
    assert.deepEqual(await send("code"), ["Valid: 5.00 off, 45.00 to pay.", ""]);
    await page.type("#code [name=amount]", "200");
    assert.deepEqual(await send("code"), ["Valid: 20.00 off, 180.00 to pay.", ""]);
  });

  await t.test(
    "a wrong code, an unknown event and a wrong amount are told, and nothing else is shown then",
    async () => {
      await page.type("#code [name=code]", "NO-SUCH-CODE");
      const [told, wrong] = await send("code");
      assert.equal(told, "");
      assert.match(wrong!, /^Not valid: .*[\s\S]*NO-SUCH-CODE/);
      await page.type("#code [name=amount]", "much");
      assert.deepEqual(await send("code"), ["", "The amount must be a number such as 49.90."]);
      await page.type("#event [name=event]", "never_defined");
      assert.match((await send("event"))[1]!, /\(404\)\nCannot find custom_event_schema with id never_defined/);
    },
  );

  await t.test("an origin that is not trusted, wrong keys and a setting that is off are explained", async () => {
    await setProject({ client_trusted_domains: ["https://shop.example"] });
    assert.match((await send("event"))[1]!, new RegExp(`\\(401\\)[\\s\\S]*trusts ${url}`));
    await setProject({ client_trusted_domains: [url], client_create_customer_enabled: false });
    await page.type("#event [name=event]", "store_visited");
    await page.type("#event [name=customer]", "a stranger");
    assert.match((await send("event"))[1]!, /\(404\)\nCannot find customer/);
    await page.type("#event [name=customer]", "bob");
    assert.deepEqual(await send("event"), ["Tracked store_visited of bob.", ""]);
    await page.type("#keys [name=token]", "wrong");
    assert.match((await send("event"))[1]!, /\(401\)\n[\s\S]*Check the keys/);
  });

  assert.deepEqual(page.complaints, [], "no exception, and nothing that the policy had to stop");
});

test("in a browser: a page of another origin reads the answer when the project trusts it, and only then", {
  skip,
}, async () => {
  const shop = createServer((_, reply) => reply.setHeader("Content-Type", "text/html").end("<title>Shop</title>"));
  await new Promise<void>((resolve) => shop.listen(0, "127.0.0.1", resolve));
  after(() => shop.close());
  const origin = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;
  const page = await openPage(chromium ?? assert.fail(MISSING));
  await page.goTo(origin);
  const body = { redeemables: [{ object: "voucher", id: "WELCOME10" }], order: { amount: 1000 } };
  const sent = { "Content-Type": "application/json", "Idempotency-Key": "k", ...headers("client") };
  const call = (path: string, options: object) =>
    page.evaluate(`fetch(${JSON.stringify(url + path)}, ${JSON.stringify(options)})
      .then(async (reply) => [reply.status, (await reply.json()).valid, reply.headers.has("X-Request-Id")], String)`);
  const validate = () => call("/client/v1/validations", { method: "POST", headers: sent, body: JSON.stringify(body) });
  await setProject({ client_trusted_domains: [origin] });
  assert.deepEqual(await validate(), [200, true, true]);
  await setProject({ client_trusted_domains: ["https://shop.example"] });
  assert.equal(await validate(), "TypeError: Failed to fetch");
  await setProject({ client_trusted_domains: [origin] });
  // Operations of the server are not for pages, whoever they are.
  const app = headers("app");
  assert.equal(await call("/v1/categories", { headers: app }), "TypeError: Failed to fetch");
});
