import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { faultsOf, follow, type Shop } from "../browser.ts";

type Named = { id: string; name: string };
type Listed = { data: Named[]; total: number };

/** Before something is deleted or sent again, its question says how much that reaches, as the server counts it. */
export async function questions(t: TestContext, shop: Shop): Promise<void> {
  const { page, complaints, close } = await shop.signIn();
  const dialog = page.getByRole("dialog");
  const count = (value: number) => new Intl.NumberFormat("en-GB").format(value);
  const many = (value: number, one: string) => `${count(value)} ${one}${value === 1 ? "" : "s"}`;
  /** Asks, reads what the question says, and lets it be. */
  const asks = async (says: string | RegExp) => {
    await dialog.getByText(says).waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
  };
  const open = async (path: string, title: string | RegExp) => {
    await follow(page, path);
    await page.getByRole("heading", { level: 1, name: title }).waitFor();
  };
  const choose = async (name: string | RegExp) => page.getByRole("menuitem", { name }).click();
  await page.goto(`${shop.url}/segments`);

  await t.test("a segment: its customers", async () => {
    const { data } = await shop.api<Listed>("/v1/segments?limit=100");
    const { id, name } = data.find((one) => one.name === "VIP customers")!;
    const size = await shop.api<{ count: number }>(`/v1/segments/${id}/size`);
    assert.ok(size.count > 0);
    await open(`/segments/${id}`, name);
    await page.getByRole("button", { name: "Delete" }).click();
    await asks(`its ${many(size.count, "customer")} stay`);
  });

  await t.test("a collection: its products", async () => {
    const { data } = await shop.api<Listed>("/v1/product-collections?limit=100");
    const { id, name } = data.find((one) => one.name === "Coffee")!;
    const { total } = await shop.api<Listed>(`/v1/product-collections/${id}/products?limit=1`);
    assert.ok(total > 1);
    await open(`/collections/${id}`, name);
    await page.getByRole("button", { name: "Delete" }).click();
    await asks(`its ${count(total)} products and variants stay`);
  });

  await t.test("a stacking category: the campaigns in it", async () => {
    const { body } = await shop.write("/v1/categories", { name: "Story category", hierarchy: 90 });
    const voucher = { type: "DISCOUNT_VOUCHER", code: "STORY-ASKED", discount: { type: "PERCENT", percent_off: 5 } };
    const made = { name: "Story asked", campaign_type: "DISCOUNT_COUPONS", type: "STANDALONE", voucher };
    await shop.write("/v1/campaigns", { ...made, category_id: body.id });
    await open("/stacking", "Stacking");
    const row = page.getByRole("listitem").filter({ hasText: "Story category" });
    await row.getByRole("button", { name: "More actions" }).click();
    await choose("Delete Story category");
    await asks("1 campaign is in it.");
  });

  await t.test("an earning rule and a tier: the cards of the campaign", async () => {
    const { campaigns } = await shop.api<{ campaigns: (Named & { counters: { codes: number } })[] }>(
      "/v1/campaigns?name=Coffee%20club&expand=counters",
    );
    const { id, name, counters } = campaigns[0]!;
    assert.ok(counters.codes > 0);
    await open(`/campaigns/${id}?tab=program`, name);
    for (const [region, act] of [
      ["Earning", /^Delete the earning rule/],
      ["Tiers", /^Delete the tier/],
    ] as const) {
      const part = page.getByRole("region", { name: region });
      await part
        .getByRole("button", { name: /^Actions for/ })
        .first()
        .click();
      await choose(act);
      await asks(`The campaign has ${many(counters.codes, "card")}.`);
    }
  });

  await t.test("a webhook: its deliveries, and of those that are sent again the failed ones", async () => {
    await open("/webhooks/new", /./);
    await page.getByRole("textbox", { name: "Address" }).fill("http://127.0.0.1:9/asked");
    await page.getByLabel("redemption.succeeded", { exact: true }).check();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("link", { name: "http://127.0.0.1:9/asked" }).click();
    await page.getByRole("button", { name: "Send a test" }).click();
    await page.waitForURL(/\/deliveries\//);
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "http://127.0.0.1:9/asked" }).waitFor();
    const more = () => page.getByRole("button", { name: "More actions" }).first().click();
    await more();
    await choose("Delete the webhook");
    await asks("1 delivery is lost with it.");
    // Until one has failed for good, a day goes by: the answer of the server is the one of that day.
    await page.route("**/deliveries?*limit=100*", async (route) => {
      const reply = await route.fetch({
        url: route
          .request()
          .url()
          .replace(/filters[^&]*&?/g, ""),
      });
      const { data, ...rest } = await reply.json();
      assert.match(decodeURIComponent(route.request().url()), /filters\[status\]\[conditions\]\[\$is\]=FAILED/);
      await route.fulfill({ response: reply, json: { ...rest, data: [...data, ...data, ...data] } });
    });
    await more();
    await choose("Send all failed again");
    await asks("3 deliveries of the last 30 days failed.");
    await page.unroute("**/deliveries?*limit=100*");
  });

  await t.test("a role: the people who have it", async () => {
    const { data } = await shop.api<{ data: Named[] }>("/management/v1/roles");
    const { id, name } = data.find((one) => one.name === "Campaigns only")!;
    type Users = { data: { role: string }[] };
    const users = await shop.api<Users>("/management/v1/projects/{projectId}/users?limit=100");
    const holders = users.data.filter(({ role }) => role === id).length;
    assert.equal(holders, 1);
    await open(`/settings/roles/${id}`, name);
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await dialog.getByText("1 person in this project has it.").waitFor();
    assert.deepEqual(await faultsOf(page), []);
    await asks("1 person in this project has it.");
  });

  assert.deepEqual(complaints, []);
  await close();
}
