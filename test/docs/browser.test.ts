import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { eventually, headersIn, serve, tempDir } from "../support/child.ts";
import { testDatabase } from "../support/engine.ts";
import { startMailServer } from "../support/mail-server.ts";
import { findChromium, openPage } from "./browser.ts";

const chromium = findChromium();
const MISSING =
  "no Chromium on this machine: the page of the demo was NOT tried in a browser (set CHROMIUM, or install it)";
const skip = chromium === null && process.env.REQUIRE_BROWSER !== "1" ? MISSING : false;

const { url: DATABASE_URL, db } = await testDatabase();
const mailServer = await startMailServer();
after(mailServer.close);
const LAUREL_DATA_DIR = tempDir();
const env = { DATABASE_URL, LAUREL_DATA_DIR, LAUREL_WRONG_CODES_MAX: "100" };
const { url, seen } = await serve({ ...env, LAUREL_DEMO: "on", LAUREL_SMTP_URL: mailServer.url });
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

test("the pages load nothing from elsewhere; the shop is there with the demo only and tells its keys to itself", async () => {
  for (const path of ["/", "/demo", "/invitation"]) {
    const page = await fetch(`${url}${path}`);
    assert.deepEqual([page.status, page.headers.get("content-type")], [200, "text/html; charset=utf-8"]);
    const policy = page.headers.get("content-security-policy")!;
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';/);
    assert.doesNotMatch(policy, /unsafe|\*|https?:/);
    const loaded = [...(await page.text()).matchAll(/(?:src|href)="([^"]+)"/g)].map(([, target]) => target!);
    for (const target of loaded) assert.match(target, /^[/#]/, `${path} names ${target}`);
  }
  for (const path of ["/demo/page.js", "/invitation/page.js"]) {
    const script = await fetch(`${url}${path}`);
    assert.match(script.headers.get("content-type")!, /^text\/javascript/);
    assert.doesNotMatch(await script.text(), /(?:https?:)?\/\/[\w-]+\.[\w.-]+\w|innerHTML/);
  }
  const keysFor = async (site?: string) => {
    const reply = await fetch(`${url}/demo/keys`, { headers: site ? { "sec-fetch-site": site } : {} });
    const { codes: _, ...keys } = (await reply.json()) as Record<string, unknown>;
    return keys;
  };
  const [app, client] = [headers("app"), headers("client")];
  assert.deepEqual(await keysFor("same-origin"), {
    app_id: app["X-App-Id"],
    app_token: app["X-App-Token"],
    client_id: client["X-Client-Application-Id"],
    client_token: client["X-Client-Token"],
  });
  for (const site of ["cross-site", "same-site", undefined])
    assert.deepEqual(Object.values(await keysFor(site)), ["", "", "", ""]);

  const plain = await serve({ ...env, LAUREL_DEMO: "off" });
  for (const path of ["/demo", "/demo/page.js", "/demo/keys"])
    assert.equal((await fetch(plain.url + path)).status, 404);
  const start = await (await fetch(plain.url)).text();
  assert.ok(start.includes("HELLO10") && !start.includes("/demo"), "without the demo, calls for an empty project");
});

test("the start page says what runs, and its three calls work when pasted", async () => {
  const page = await (await fetch(url)).text();
  assert.match(page, /Laurel is running/);
  for (const path of ["/demo", "/docs", "/openapi.json", "/health/ready"]) {
    assert.ok(page.includes(`href="${path}"`), path);
    assert.equal((await fetch(url + path)).status, 200, path);
  }
  const texts = [...page.matchAll(/<pre class="call" tabindex="0">(.*?)<\/pre>/gs)].map(([, text]) =>
    text!.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))),
  );
  assert.equal(texts.length, 3);
  const answers = await Promise.all(
    texts.map(async (text) => JSON.parse((await promisify(execFile)("sh", ["-c", text])).stdout)),
  );
  assert.deepEqual(
    [answers[0].order.total_amount, answers[1].redeemables[0].trace.decided_by, answers[2].code],
    [4500, "customer_rules_violated", "CLUB-DEMO"],
  );
  // What a stranger sends is shown as text, and a stranger is not told where files are.
  const odd = await rawPage(url, { host: 'x"><script>alert(1)</script>', "x-forwarded-for": "203.0.113.9" });
  assert.ok(odd.includes("&#60;script&#62;") && !odd.includes("<script>"), odd);
  assert.ok(!odd.includes(LAUREL_DATA_DIR));
});

/** A page as a client gets it that sends these headers; `fetch` sets `Host` itself. */
const rawPage = (address: string, sent: Record<string, string>) =>
  new Promise<string>((resolve, reject) => {
    get(address, { headers: sent }, async (reply) => {
      let text = "";
      for await (const chunk of reply) text += chunk;
      resolve(text);
    }).on("error", reject);
  });

type Page = Awaited<ReturnType<typeof openPage>>;
const textOf = (page: Page, selector: string): Promise<string | null> =>
  page.evaluate(`document.querySelector(${JSON.stringify(selector)})?.textContent ?? null`);
const shows = (page: Page, selector: string, text: string) =>
  eventually(async () => (await textOf(page, selector))?.includes(text), `${selector} shows ${text}`);
const pick = (page: Page, customer: string) =>
  page.evaluate(`(() => { const field = document.getElementById("customer"); field.value = ${JSON.stringify(customer)};
    field.dispatchEvent(new Event("change")); })()`);
const enter = async (page: Page, code: string) => {
  await page.type("#code input", code);
  await page.press("Enter");
};

for (const [name, width, scheme] of [
  ["desktop", 1280, "light"],
  ["phone", 360, "dark"],
] as const)
  test(`in a browser, ${name}: the start page and the shop fit the window, and every control has a name`, {
    skip,
  }, async () => {
    const page = await openPage(chromium ?? assert.fail(MISSING));
    await page.resize(width, 800, scheme);
    const fits = () => page.evaluate("document.documentElement.scrollWidth <= innerWidth");
    await page.goTo(url);
    assert.equal(await fits(), true);
    await page.goTo(`${url}/demo`);
    await eventually(() => page.evaluate("'ready' in document.documentElement.dataset"), "the script has run");
    assert.equal(await textOf(page, "#problem"), "");

    // A cart, a code that applies, one that does not, and why.
    await page.click("[data-product=tee]");
    await page.click("[data-product=tee]");
    await page.click("[data-product=shipping]");
    await shows(page, "#total", "44.99");
    await pick(page, "bob");
    await shows(page, "#points", "points on the loyalty card");
    await enter(page, "welcome10");
    await shows(page, "[data-code=WELCOME10]", "\u22124.50");
    await shows(page, "#total", "40.49");
    await enter(page, "freeship");
    await shows(page, "[data-code=FREESHIP]", "Free shipping starts at 50.00");
    await shows(page, "#total", "40.49");
    await page.click("[data-code=FREESHIP] button");
    await shows(page, "#reasons", "10.00 more");
    assert.equal(await fits(), true);
    assert.equal(await page.evaluate("document.querySelector('dialog').getBoundingClientRect().left >= 0"), true);
    await page.press("Escape");
    assert.equal(await page.evaluate("document.querySelector('dialog').open"), false);
    await page.click("[data-code=WELCOME10] button");
    await shows(page, "#reasons", "10% of 44.99 is 4.499, rounded 4.50");
    await page.click("#close");

    // An offer is there as soon as the cart is large enough.
    await page.click("[data-product=grinder]");
    await shows(page, "#offers", "10% off");
    await shows(page, "#total", "107.50");

    const nameless = await page.evaluate(`[...document.querySelectorAll("input, select, button, a, summary")].filter(
      (one) => !(one.labels?.length || one.ariaLabel || one.textContent.trim())).map((one) => one.outerHTML)`);
    assert.deepEqual(nameless, []);
    assert.deepEqual(page.complaints, [], "no exception, and nothing that the policy had to stop");
  });

test("in a browser: paying redeems the codes and earns points, by keyboard alone, and what is wrong is told", {
  skip,
}, async (t) => {
  const page = await openPage(chromium ?? assert.fail(MISSING));
  await page.goTo(`${url}/demo`);
  await eventually(() => page.evaluate("'ready' in document.documentElement.dataset"), "the script has run");
  const points = async () => Number(/^(\d+) points/.exec((await textOf(page, "#points")) ?? "")?.[1]);
  await pick(page, "bob");
  await eventually(async () => (await points()) > 0, "bob has points");

  await t.test("Tab reaches the products, Enter adds one", async () => {
    for (let n = 0; n < 10; n += 1) {
      await page.press("Tab");
      if (await page.evaluate("document.activeElement.dataset.product === 'tee'")) break;
    }
    await page.press("Enter");
    await shows(page, "#total", "20.00");
  });

  await t.test("an order with a code is paid, and the card has a point for each 1.00", async () => {
    const before = await points();
    await enter(page, "summer5");
    await shows(page, "#total", "15.00");
    await page.click("#pay");
    await shows(page, "#done", "Paid 15.00 with SUMMER5.");
    assert.equal(await points(), before + 15);
    assert.equal(await page.evaluate("document.querySelectorAll('#lines li').length"), 0);
    const { redemptions } = await json("/v1/redemptions?limit=1");
    assert.equal(redemptions[0].voucher.code, "SUMMER5");
  });

  await t.test("a visit is tracked with the client-side key, and earns points", async () => {
    const before = await points();
    await page.click("#visit");
    await shows(page, "#done", "Tracked store_visited of bob.");
    assert.equal(await points(), before + 10);
    const { data } = await json("/v1/customers/bob/activity?type=customer.custom_event&limit=1");
    assert.deepEqual([data[0].data.event.type, data[0].data.event.metadata.store], ["store_visited", "Oslo"]);
  });

  await t.test("an unknown code, an origin that is not trusted and wrong keys are explained", async () => {
    await page.click("[data-product=mug]");
    await enter(page, "no-such-code");
    await shows(page, "[data-code=NO-SUCH-CODE] .bad", "not found");
    await setProject({ client_trusted_domains: ["https://shop.example"] });
    await page.click("#visit");
    await shows(page, "#wrong", `trusts ${url}`);
    await setProject({ client_trusted_domains: [url] });
    await page.evaluate("document.querySelector('#keys form').elements.app_token.value = 'wrong'");
    await page.click("[data-product=mug]");
    await shows(page, "#wrong", "Check the keys");
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

/** The link in the newest mail to an address. */
async function linkTo(email: string, subject: string): Promise<string> {
  const isIt = (mail: string) => mail.includes(`To: ${email}`) && mail.includes(`Subject: ${subject}`);
  await eventually(() => mailServer.mails.some(isIt), "the mail was sent");
  const mail = mailServer.mails.find(isIt)!;
  const token = /#token=([0-9a-f]{64})/.exec(mail.replaceAll("=\r\n", "").replaceAll("=3D", "="))![1]!;
  assert.ok(!seen.stderr.includes(token), "the log does not have it");
  return `${url}/invitation#token=${token}`;
}

async function askForPassword(email: string): Promise<string> {
  const reply = await fetch(`${url}/management/v1/password-reset`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email }),
  });
  assert.equal(reply.status, 202);
  return linkTo(email, "Choose a new password");
}

/** Invites somebody, and gives the link that they were sent: here it leads to a port that was not known before the start. */
async function invite(email: string): Promise<string> {
  const reply = await fetch(`${url}/management/v1/projects/users/invite`, {
    method: "POST",
    headers: { ...headers("management"), "content-type": "application/json" },
    body: JSON.stringify({ email, first_name: "Dora", last_name: "Doe", projects: { [projectId]: "USER" } }),
  });
  assert.equal(reply.status, 204);
  return linkTo(email, "Your invitation");
}

for (const [name, width, scheme] of [
  ["desktop", 1280, "light"],
  ["phone", 320, "dark"],
] as const)
  test(`in a browser, ${name}: an invitation is accepted by keyboard, and is used up then`, { skip }, async () => {
    const page = await openPage(chromium ?? assert.fail(MISSING));
    await page.resize(width, 800, scheme);
    // What is seen, not what is said to be hidden.
    const section = () =>
      page.evaluate(
        "[...document.querySelectorAll('main > section')].filter((one) => one.offsetParent).map((one) => one.id).join()",
      );
    const fits = () => page.evaluate("document.documentElement.scrollWidth <= innerWidth");
    const link = await invite(`dora.with.a.long.name.of.her.own-${name}@marketing.shop.example`);
    await page.goTo(link);
    await eventually(async () => (await section()) === "open", "the form is shown");
    assert.equal(await textOf(page, "#email"), `dora.with.a.long.name.of.her.own-${name}@marketing.shop.example`);
    assert.equal(await page.evaluate("document.getElementById('first-name').value"), "Dora");
    assert.equal(await fits(), true);

    // A password that is too short is sent nowhere.
    await page.type("#password", "short");
    await page.press("Enter");
    assert.deepEqual(
      [await section(), await page.evaluate("document.querySelector(':invalid:not(form)').id")],
      ["open", "password"],
    );
    await page.type("#first-name", "Dorothea");
    await page.type("#password", "correct horse battery staple");
    await page.press("Enter");
    await eventually(async () => (await section()) === "done", "it is accepted");
    await shows(page, "#done", "Welcome, Dorothea");
    await shows(page, "#done", "You can sign in with it now");
    assert.equal(await page.evaluate("location.hash"), "", "the token is gone from the address");
    assert.equal(await fits(), true);
    const { data } = await json(`/management/v1/projects/${projectId}/users?limit=100`, "management");
    const user = data.find(
      (one: { email: string }) => one.email === `dora.with.a.long.name.of.her.own-${name}@marketing.shop.example`,
    );
    assert.deepEqual([user.first_name, user.status], ["Dorothea", "ACTIVE"]);

    // Who forgot the password is sent a link to the same page, which says what it is for.
    await page.goTo("about:blank");
    await page.goTo(await askForPassword(`dora.with.a.long.name.of.her.own-${name}@marketing.shop.example`));
    await eventually(async () => (await section()) === "open", "the form is shown");
    await shows(page, "#open h2", "Choose a new password");
    assert.equal(await page.evaluate("document.title"), "Choose a new password for Laurel");
    assert.equal(await page.evaluate("document.getElementById('first-name')"), null);
    assert.doesNotMatch(String(await textOf(page, "main")), /Accept (?:your|the) invitation/);
    assert.equal(await fits(), true);
    await page.type("#password", "another horse battery staple");
    await page.press("Enter");
    await eventually(async () => (await section()) === "done", "it is stored");
    await shows(page, "#done", "Your new password is stored");

    // Once, not for ever, and not without its token.
    const over = async (address: string, reason: string) => {
      await page.goTo("about:blank");
      await page.goTo(address);
      await eventually(async () => (await section()) === "over", "it is over");
      await shows(page, "#over-reason", reason);
    };
    await over(link, "used before");
    const late = await invite(`late-${name}@shop.example`);
    await db`update users set invitation_until = '2026-01-01' where login = ${`late-${name}@shop.example`}`;
    await over(late, "expired");
    // In the tab of the one that is over.
    const next = await invite(`next-${name}@shop.example`);
    await page.evaluate(`location.href = ${JSON.stringify(next)}`);
    await eventually(async () => (await section()) === "open", "the other invitation is shown");
    assert.equal(await textOf(page, "#email"), `next-${name}@shop.example`);
    await over(`${url}/invitation`, "the link is not complete");
    assert.equal(await fits(), true);
    assert.deepEqual(page.complaints, [], "no exception, and nothing that the policy had to stop");
  });
