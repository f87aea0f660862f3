import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Locator } from "playwright-core";
import { CLOCK, faultsOf, type Shop } from "../browser.ts";

const PROJECT = "/management/v1/projects/{projectId}";

const whoOf = (row: Locator) => row.getByRole("cell").nth(3).innerText();

/** Operators: webhooks, roles, the order of categories, points of a member. */
export async function operators(t: TestContext, shop: Shop): Promise<void> {
  const { page, complaints, close } = await shop.signIn();

  await t.test("a webhook is made, bad input is told at its field, and a delivery is sent again", async () => {
    await page.goto(`${shop.url}/webhooks/new`);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Write an address that begins with").waitFor();
    await page.getByText("Choose at least one event.").waitFor();
    await page.getByRole("textbox", { name: "Address" }).fill("http://127.0.0.1:9/hook");
    await page.getByLabel("redemption.succeeded", { exact: true }).check();
    await page.getByLabel("Headers").fill("X-Shop: demo");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("link", { name: "http://127.0.0.1:9/hook" }).click();
    await page.getByRole("button", { name: "Send a test" }).click();
    // Nothing inside the network is called: the page says why.
    await page.getByText("is not on the internet").first().waitFor();
    assert.deepEqual(await faultsOf(page), []);
    await page.getByRole("button", { name: "Send again" }).click();
    await page.getByText("Attempt 2").waitFor();
    const { data } = await shop.api<{ data: { target_url: string; headers: object }[] }>(`${PROJECT}/webhooks`);
    assert.deepEqual(data.find(({ target_url }) => target_url.endsWith("/hook"))?.headers, { "x-shop": "demo" });
  });

  await t.test("a webhook that fails is an alert on Home, which leads to it", async () => {
    await page.goto(shop.url);
    await page.getByRole("link", { name: /^The webhook http:\/\/127\.0\.0\.1:9\/hook fails/ }).click();
    await page.getByRole("heading", { level: 1, name: "http://127.0.0.1:9/hook" }).waitFor();
    assert.deepEqual(await faultsOf(page), []);
    await page.goto(`${shop.url}/webhooks`);
    await page.getByRole("row", { name: "127.0.0.1:9/hook" }).getByText("Failing").waitFor();
  });

  await t.test("a figure that is approximate is marked", async () => {
    // A small shop has none: the answer of the server is the one of a large shop.
    await page.route("**/v1/project-summary**", async (route) => {
      const reply = await route.fetch();
      const approximate = { metrics: ["unique_customers"], method: "sketch" };
      await route.fulfill({ response: reply, json: { ...(await reply.json()), approximate } });
    });
    await page.goto(shop.url);
    await page.getByText(/^≈ \d+$/).waitFor();
    assert.equal(await page.getByText("· approximate").count(), 1);
    await page.unroute("**/v1/project-summary**");
  });

  await t.test("a role is put together from what it may do", async () => {
    await page.goto(`${shop.url}/settings/roles/new`);
    await page.getByLabel("Name").fill("Support");
    await page.getByLabel("Customers: Manage").check();
    assert.ok(await page.getByLabel("Customers: Read").isDisabled(), "who manages may read");
    await page.getByLabel("Codes: Read", { exact: true }).check();
    await page.getByRole("button", { name: "Save" }).click();
    // To manage is four things: roles are counted alike, however they are written.
    await page.getByRole("row", { name: "Support" }).getByText("5", { exact: true }).waitFor();
    const { data } = await shop.api<{ data: { name: string; permissions: string[] }[] }>("/management/v1/roles");
    const made = data.find(({ name }) => name === "Support");
    assert.deepEqual([...made!.permissions].sort(), ["customers.manage", "vouchers.read"]);
  });

  await t.test("categories are moved without a mouse and back, and the audit log shows before and after", async () => {
    const names = async () => {
      const { data } = await shop.api<{ data: { name: string }[] }>("/v1/categories?order=hierarchy&limit=100");
      return data.map(({ name }) => name);
    };
    const before = await names();
    await page.goto(`${shop.url}/stacking`);
    await page.getByRole("button", { name: `Move ${before[0]} down` }).press("Enter");
    await page.getByText("Order changed").waitFor();
    assert.deepEqual((await names()).slice(0, 2), [before[1], before[0]]);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Undone").waitFor();
    assert.deepEqual(await names(), before);
    await page.goto(`${shop.url}/settings/audit?kind=category`);
    await page.getByRole("link", { name: "category" }).first().click();
    await page.getByRole("cell", { name: "hierarchy" }).waitFor();
    assert.equal(await page.locator("del").count(), 1);
    assert.deepEqual(await faultsOf(page), []);
    const { user } = await shop.api<{ user: { id: string; first_name: string } }>("/management/v1/session");
    await page.goto(`${shop.url}/settings/audit?actor_id=${user.id}&created_at[after]=2020-01-01`);
    const rows = page.getByRole("row", { name: user.first_name });
    await rows.filter({ hasText: "Category changed" }).first().waitFor();
    assert.equal(await page.getByRole("combobox", { name: "Person or key" }).inputValue(), await whoOf(rows.first()));
    await page.goto(`${shop.url}/settings/audit`);
    await page.getByText("Installation", { exact: true }).click();
    await page.getByRole("row", { name: "Role created" }).getByRole("link").first().click();
    await page.getByRole("cell", { name: "permissions" }).waitFor();
    assert.deepEqual(await faultsOf(page), []);
  });

  await t.test("categories are dragged into order with the mouse", async () => {
    const names = async () => {
      const { data } = await shop.api<{ data: { name: string }[] }>("/v1/categories?order=hierarchy&limit=100");
      return data.map(({ name }) => name);
    };
    const before = await names();
    await page.goto(`${shop.url}/stacking`);
    const row = (name: string) => page.getByRole("listitem").filter({ hasText: name }).first();
    await row(before[0]!).dragTo(row(before[2]!));
    await page.getByText("Order changed").waitFor();
    assert.deepEqual((await names()).slice(0, 3), [before[1], before[2], before[0]]);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Undone").waitFor();
    assert.deepEqual(await names(), before);
  });

  await t.test("the clock of a sandbox is moved, and the page says what time it is there", async () => {
    const clock = await shop.signIn(CLOCK);
    await clock.page.goto(`${shop.url}/settings/sandbox`);
    await clock.page.getByText("not at all").waitFor();
    await clock.page.getByLabel("To a moment").fill("2020-01-01T00:00");
    await clock.page.getByRole("button", { name: "Move the clock", exact: true }).click();
    await clock.page.getByText("Choose a moment after the time of the project.").waitFor();
    await clock.page.getByRole("button", { name: "30 days on" }).click();
    const question = clock.page.getByRole("dialog");
    await question.getByRole("button", { name: /^Move to/ }).click();
    await clock.page.waitForURL(/\/settings\/jobs\//);
    await clock.page.goto(`${shop.url}/settings/sandbox`);
    await clock.page.getByText("30 days", { exact: true }).first().waitFor();
    await clock.page
      .getByRole("banner")
      .getByText(/^it is .+ here$/)
      .waitFor();
    assert.deepEqual(await faultsOf(clock.page), []);
    assert.deepEqual(clock.complaints, []);
    await clock.close();
  });

  await t.test("points are given with a reason, and the ledger of the member shows it", async () => {
    await page.goto(`${shop.url}/loyalty`);
    await page.getByRole("link", { name: "Laurel club" }).click();
    // First who is there and what became of the points, as the server counts it.
    const { data } = await shop.api<{ data: { id: string; name: string }[] }>("/v2/loyalties/programs?limit=100");
    const { id } = data.find(({ name }) => name === "Laurel club")!;
    type Overview = { members: { total: number }; wallets: { issued: number }[] };
    const { members, wallets } = await shop.api<Overview>(`/v2/loyalties/programs/${id}/overview`);
    const shown = (value: number) => page.getByText(new Intl.NumberFormat("en-GB").format(value), { exact: true });
    await shown(members.total).first().waitFor();
    await shown(wallets[0]!.issued).first().waitFor();
    assert.deepEqual(await faultsOf(page), []);
    await page.getByRole("tab", { name: "Design" }).click();
    await page.getByText("2 points for each").waitFor();
    await page.getByRole("tab", { name: "Members" }).click();
    await page.getByRole("row").nth(1).getByRole("link").click();
    await page.getByRole("button", { name: "Give or take points" }).click();
    const question = page.getByRole("dialog");
    await question.getByLabel("Points").fill("50");
    await question.getByLabel("Reason").fill("a late parcel");
    await page.getByRole("button", { name: "Give 50 points" }).click();
    await page.getByRole("row", { name: "a late parcel" }).getByText("+50").waitFor();
    assert.deepEqual(await faultsOf(page), []);
  });

  assert.deepEqual(complaints, []);
  await close();
}
