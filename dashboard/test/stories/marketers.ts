import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Page } from "playwright-core";
import { faultsOf, type Shop } from "../browser.ts";

const FIRST = "Story welcome";
const SECOND = "Story again";
const tab = (page: Page, name: string) => page.getByRole("tab", { name, exact: true }).click();
const more = async (page: Page, name: RegExp) => {
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name }).click();
};
type Listed = { campaigns: { name: string; status: string; active: boolean }[]; total: number };
type Made = {
  voucher: { discount: { percent_off: number } };
  vouchers_count: number;
  validation_rules_assignments: { total: number };
};

/** Who looks after campaigns begins one, tries it, duplicates it, sees that the two overlap, and puts one away. */
export async function marketers(t: TestContext, shop: Shop): Promise<void> {
  const { page, complaints, close } = await shop.signIn();
  const listed = (query: string) => shop.api<Listed>(`/v1/campaigns?${query}`);
  const stories = async () =>
    (await listed("name=Story%20&limit=100")).campaigns
      .filter(({ name }) => name === FIRST || name === SECOND)
      .map(({ name, status }) => `${name} ${status}`)
      .sort();

  await t.test("a campaign begins with a built-in start, and is tried on a cart before it is saved", async () => {
    await page.goto(`${shop.url}/campaigns`);
    await page.getByRole("link", { name: "New campaign" }).click();
    await page.getByRole("link", { name: "Welcome code" }).click();
    await page.getByLabel("Name").fill(FIRST);
    await tab(page, "Codes");
    await page.getByRole("textbox", { name: /^Code/ }).fill("STORY-WELCOME");
    await tab(page, "Who and when");
    await page.getByLabel("Starts").fill("2031-01-10T00:00");
    await page.getByLabel("Ends").fill("2031-02-10T00:00");
    await page.getByLabel("Only orders of at least").fill("80");
    // When it runs is one field: from, until, and the zone that both mean.
    const period = page.getByRole("group", { name: "When it runs" });
    assert.equal(await period.locator("input").count(), 2);
    await period.getByText("on the clock of").waitFor();
    await tab(page, "Check");
    await page.getByText("when the campaign begins: 10 Jan 2031").waitFor();
    assert.equal(await page.locator("input[type=datetime-local]:visible").count(), 0);
    // The form shows what it would send, as it is filled in.
    await page.getByRole("button", { name: "Show as API call" }).click();
    const call = page.getByRole("dialog");
    await call.getByText(/"code":"STORY-WELCOME"/).waitFor();
    await call
      .getByText(/ID_FROM_createValidationRule/)
      .first()
      .waitFor();
    assert.deepEqual(await faultsOf(page), []);
    await page.keyboard.press("Escape");
    await call.waitFor({ state: "detached" });
    await page.getByText("Sign in first").waitFor();
    await page.getByRole("combobox", { name: "Customer" }).click();
    await page.getByRole("option").first().click();
    // It has not begun: the server is asked as at its first day.
    await page.getByText("90.00", { exact: true }).waitFor();
    await page.getByText("applies", { exact: true }).waitFor();
    await page.getByLabel("Amount of the order").fill("79");
    await page.getByText("does not apply").waitFor();
    await page.getByLabel("Amount of the order").press("Enter");
    assert.deepEqual(await faultsOf(page), []);
    assert.deepEqual(await stories(), []);
    await page.getByRole("button", { name: "Create campaign" }).click();
    await page.waitForURL(/\/campaigns\/camp_\w+$/);
    assert.deepEqual(await stories(), [`${FIRST} SCHEDULED`]);
  });

  await t.test("it is duplicated under another name, disabled, and then enabled", async () => {
    await more(page, /Duplicate/);
    const window = page.getByRole("dialog");
    await window.getByLabel("Name").fill(FIRST);
    await window.getByRole("button", { name: "Duplicate campaign" }).click();
    await window.getByRole("alert").waitFor();
    await window.getByLabel("Name").fill(SECOND);
    await window.getByLabel("Code").fill("STORY-AGAIN");
    await window.getByRole("button", { name: "Duplicate campaign" }).click();
    await page.getByRole("heading", { level: 1, name: SECOND }).waitFor();
    assert.deepEqual(await stories(), [`${SECOND} DISABLED`, `${FIRST} SCHEDULED`]);
    await page.getByRole("button", { name: "Enable" }).click();
    await page.getByRole("button", { name: "Disable" }).waitFor();
  });

  await t.test("the timeline shows both, and that they are for the same orders at one time", async () => {
    await page.goto(`${shop.url}/campaigns?view=timeline&name=Story+&span=2031-01~3`);
    const row = page.getByRole("list", { name: "Timeline" }).getByRole("listitem").filter({ hasText: SECOND });
    await row.getByText("10 Jan – 10 Feb 2031").waitFor();
    const conflict = page.getByRole("listitem").filter({ hasText: "both apply to the same products" });
    // The list is long in a shop whose other campaigns overlap too.
    const all = page.getByRole("button", { name: /Show all/ });
    // That both apply is no warning: it is folded.
    await page.getByText(/pairs? (applies|apply) to the same products/).click();
    if ((await all.count()) > 0) await all.click();
    await conflict.filter({ hasText: FIRST }).filter({ hasText: SECOND }).waitFor();
    assert.equal(await row.getByRole("link", { name: /conflict/ }).count(), 0);
    assert.deepEqual(await faultsOf(page), []);
    await page.getByRole("button", { name: "A month later" }).click();
    await page.waitForURL(/span=2031-02/);
  });

  await t.test("one is archived from the list, found again there, and brought back by undo as it was", async () => {
    await page.goto(`${shop.url}/campaigns?name=Story+again`);
    await page.getByRole("row").filter({ hasText: SECOND }).getByRole("checkbox").check();
    await page.getByRole("button", { name: "Archive", exact: true }).click();
    await page.getByText("Nothing matches these filters").waitFor();
    assert.deepEqual(await stories(), [`${FIRST} SCHEDULED`]);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("link", { name: SECOND }).waitFor();
    assert.deepEqual(await stories(), [`${SECOND} SCHEDULED`, `${FIRST} SCHEDULED`]);
    await page.getByRole("link", { name: SECOND }).click();
    await page.getByRole("heading", { level: 1, name: SECOND }).waitFor();
    await more(page, /^Archive/);
    await page.getByRole("button", { name: "Bring back" }).waitFor();
    await page.goto(`${shop.url}/campaigns`);
    await page.getByText("Archived", { exact: true }).first().click();
    await page.getByRole("link", { name: SECOND }).waitFor();
    assert.deepEqual(
      (await listed("status=ARCHIVED")).campaigns.map(({ name }) => name),
      [SECOND],
    );
  });

  await t.test("a campaign becomes a template, and the template a campaign with the same rules", async () => {
    await page.goto(`${shop.url}/campaigns?name=Story+welcome`);
    await page.getByRole("link", { name: FIRST }).click();
    await page.getByRole("heading", { level: 1, name: FIRST }).waitFor();
    await more(page, /Save as template/);
    await page.getByLabel("Name of the template").fill("Story template");
    await page.getByRole("button", { name: "Save template" }).click();
    await page.getByText("New campaigns can begin with it").waitFor();
    await page.goto(`${shop.url}/campaigns/start`);
    await page.getByRole("link", { name: "Story template" }).click();
    await page.getByText("With the rules").waitFor();
    await page.getByRole("button", { name: "Create campaign" }).click();
    await page.getByText("Fill in this field.").waitFor();
    await page.getByLabel("Name").fill("Story from a template");
    await page.getByRole("button", { name: "Create campaign" }).click();
    await page.waitForURL(/\/campaigns\/camp_\w+$/);
    const made = await shop.api<Made>(`/v1/campaigns/${page.url().split("/").at(-1)}`);
    assert.equal(made.voucher.discount.percent_off, 10);
    assert.equal(made.validation_rules_assignments.total, 1);
  });

  await t.test("the page of a campaign tells how long its budget lasts, and who uses it", async () => {
    const { campaigns } = await shop.api<{ campaigns: { id: string }[] }>("/v1/campaigns?name=Newsletter");
    await page.goto(`${shop.url}/campaigns/${campaigns[0]!.id}`);
    await page.getByRole("heading", { name: "Budget left" }).waitFor();
    await page.getByRole("table", { name: "Budget left" }).waitFor({ state: "attached" });
    await tab(page, "Audience");
    await page.getByText("Different customers").waitFor();
    await page.getByRole("heading", { name: "Segments they are in" }).waitFor();
    assert.deepEqual(await faultsOf(page), []);
    // And on what condition each of its offers is given.
    const found = await shop.api<{ campaigns: { id: string }[] }>("/v1/campaigns?name=Spend%20and%20save");
    await page.goto(`${shop.url}/campaigns/${found.campaigns[0]!.id}`);
    await page.getByText("10% off if: Order before all discounts is at least 100.00").waitFor();
  });

  await t.test("gift cards, members and points, and top referrers are shown as the server counts them", async () => {
    const money = (minor: number) =>
      `$${new Intl.NumberFormat("en-GB", { minimumFractionDigits: 2 }).format(minor / 100)}`;
    const count = (value: number) => new Intl.NumberFormat("en-GB").format(value);
    const shows = (text: string) => page.getByRole("main").getByText(text, { exact: true }).first().waitFor();
    const { balance } = await shop.api<{ balance: number }>("/v1/gift-cards/balance");
    assert.ok(balance > 0);
    await page.goto(`${shop.url}/gift-cards`);
    await shows(money(balance));
    assert.deepEqual(await faultsOf(page), []);
    type Overview = { campaign_id: string; members: { total: number }; issued: number; outstanding: number };
    const overview = await shop.api<Overview>("/v1/loyalties/Coffee%20club/overview");
    assert.ok(overview.members.total > 0 && overview.issued > 0);
    await page.goto(`${shop.url}/campaigns/${overview.campaign_id}`);
    await page.getByRole("heading", { name: "Members and points" }).waitFor();
    for (const value of [overview.members.total, overview.issued, overview.outstanding]) await shows(count(value));
    assert.deepEqual(await faultsOf(page), []);
    for (const source_id of ["story-friend-1", "story-friend-2"])
      await shop.write("/v1/redemptions", {
        redeemables: [{ object: "voucher", id: "FRIEND-DEMO" }],
        customer: { source_id },
        order: { amount: 10_000 },
      });
    type Top = { data: { code: string; friends: number }[] };
    const { data: top } = await shop.api<Top>("/v1/referrals/Bring%20a%20friend/top-referrers");
    assert.deepEqual([top[0]?.code, top[0]?.friends], ["FRIEND-DEMO", 2]);
    await page.goto(`${shop.url}/referrals`);
    // The funnel of the campaign of the history ends with the friends that its referrers brought.
    const steps = page.getByRole("listitem").filter({ hasText: "New customers" });
    await steps.filter({ hasText: "14" }).waitFor();
    await page
      .getByRole("table", { name: "Top referrers" })
      .getByRole("row", { name: "FRIEND-DEMO" })
      .getByText("2")
      .first()
      .waitFor();
    assert.deepEqual(await faultsOf(page), []);
  });

  assert.deepEqual(complaints, []);
  await close();
}
