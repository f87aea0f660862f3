import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Page } from "playwright-core";
import { eventually } from "../../../test/support/child.ts";
import { faultsOf, type Shop } from "../browser.ts";

type Open = (path: string, title: string | RegExp) => Promise<void>;
type Row = Record<string, string | number>;
const count = (value: number) => new Intl.NumberFormat("en-GB").format(value);

/** Figures that the pages show, beside what the server counts. */
export async function figures(t: TestContext, shop: Shop, page: Page, open: Open): Promise<void> {
  const main = page.getByRole("main");
  type Counted = { id: string; name: string; counters: { budget: number | null; budget_used: number } & Row };
  const campaigns = async () =>
    (await shop.api<{ campaigns: (Counted & { active: boolean })[] }>("/v1/campaigns?expand=counters&limit=100"))
      .campaigns;
  const campaign = async (name: string) => (await campaigns()).find((one) => one.name === name)!;

  await t.test("Home warns of each budget that is nearly used up, and leads to its campaign", async () => {
    const { campaigns: running } = await shop.api<{ campaigns: Counted[] }>(
      "/v1/campaigns?expand=counters&limit=100&status=ACTIVE",
    );
    const full = running.filter(({ counters: { budget, budget_used } }) => budget && budget_used / budget >= 0.9);
    assert.ok(full.length > 0);
    await open("/", "Home");
    const links = main.getByRole("link", { name: /has used \d+% of its budget/ });
    await links.first().waitFor();
    assert.equal(await links.count(), full.length);
    const { name, counters } = full[0]!;
    const share = Math.floor((100 * counters.budget_used) / counters.budget!);
    await main.getByRole("link", { name: `${name} has used ${share}% of its budget.` }).click();
    await page.getByRole("heading", { level: 1, name }).waitFor();
  });

  await t.test("a row of campaigns has the redemptions of thirty days, and is enabled from the bar", async () => {
    const { id, counters } = await campaign("Radio spot");
    await shop.write(`/v1/campaigns/${id}/disable`, {});
    const days = counters.redemptions_by_day as unknown as number[];
    await open("/campaigns?name=Radio", "Campaigns");
    const row = page.getByRole("row", { name: "Radio spot" });
    const sum = days.reduce((all, one) => all + one, 0);
    await row.getByRole("img", { name: `30 days: ${count(sum)}`, exact: true }).waitFor();
    await row.getByText("Disabled").waitFor();
    await row.getByRole("checkbox").check();
    await page.getByRole("button", { name: "Enable", exact: true }).click();
    await page.getByText("1 campaign enabled").waitFor();
    assert.equal((await campaign("Radio spot")).active, true);
  });

  await t.test("figures of a campaign stand beside those of the period before", async () => {
    const { id } = await campaign("Newsletter");
    const asked = page.waitForResponse((one) => one.url().includes("/v1/time-series"));
    await open(`/campaigns/${id}?days=7`, "Newsletter");
    await main.getByText("The last 7 days, against the 7 before").waitFor();
    type Series = { totals: { redemptions: number }; previous: { totals: { redemptions: number } } };
    const { totals, previous } = (await (await asked).json()) as Series;
    const [now, before] = [totals.redemptions, previous.totals.redemptions];
    assert.ok(before > 0);
    const percent = Math.round((100 * Math.abs(now - before)) / before);
    const says =
      now === before ? "as before" : `${percent}% ${now > before ? "more" : "less"} than ${count(before)} before`;
    const figure = main.locator("dl > div").filter({ has: page.getByText("Redemptions", { exact: true }) });
    assert.equal(await figure.getByRole("definition").first().textContent(), count(now));
    await figure.getByText(says).waitFor();
  });

  await t.test("what is left of the codes is said with a day, as the server forecasts it", async () => {
    const { id } = await campaign("Spring mailing");
    type Forecast = { uses: { left: number; per_day: number | null; runs_out_at: string | null } };
    const { uses } = await shop.api<Forecast>(`/v1/campaigns/${id}/forecast?days=30`);
    await open(`/campaigns/${id}`, "Spring mailing");
    await main.getByRole("heading", { name: "Uses left" }).waitFor();
    const says =
      uses.per_day === null
        ? "After seven whole days it can be said until when."
        : uses.runs_out_at !== null
          ? "until about"
          : uses.per_day === 0
            ? "Nothing was used in the last 14 days."
            : "At this speed it lasts.";
    await main
      .getByText(`${count(uses.left)} left`)
      .filter({ hasText: says })
      .waitFor();
    assert.deepEqual(await faultsOf(page), []);
  });

  await t.test("the matrix says what goes together, and follows a category that changes its group", async () => {
    await open("/stacking", "Stacking");
    const cell = page.getByTitle("Clearance + Loyalty members:");
    const other = page.getByTitle("Clearance + No category:");
    await cell.getByText("together", { exact: true }).waitFor();
    await other.getByText("not together: one is exclusive").waitFor();
    await page.getByRole("combobox", { name: "How Clearance combines" }).click();
    await page.getByRole("option", { name: "Common" }).click();
    await other.getByText("together", { exact: true }).waitFor();
    await page.getByRole("combobox", { name: "How Clearance combines" }).click();
    await page.getByRole("option", { name: "Exclusive" }).click();
    await other.getByText("not together: one is exclusive").waitFor();
  });

  const V2 = "/v2/loyalties/programs";
  await t.test("points that were spent, and moves between tiers, are those of the reports", async () => {
    const { data: programs } = await shop.api<{ data: { id: string; name: string }[] }>(`${V2}?limit=100`);
    const { id } = programs.find(({ name }) => name === "Laurel club")!;
    await open(`/loyalty/${id}`, "Laurel club");
    for (const [region, report, fields] of [
      ["Points spent", "spending", ["success", "points", "points_on_rewards", "points_on_order"]],
      ["Moves between tiers", "tiers", ["joins", "upgrades", "downgrades", "lefts"]],
    ] as const) {
      const { data } = await shop.api<{ data: Row[] }>(`${V2}/${id}/reports/${report}/summary`);
      assert.ok(data.length > 0, report);
      const rows = page.getByRole("region", { name: region }).locator("tbody tr");
      await rows.first().waitFor();
      const shown = await rows.evaluateAll((all) =>
        all.map((row) => [...row.querySelectorAll("td")].slice(1).map((one) => one.textContent)),
      );
      const expected = data.map((row) => fields.map((field) => count(row[field] as number)));
      assert.deepEqual(shown, expected, region);
    }
  });

  await t.test("a lot that waits is given now, another is cancelled, and the ledger says both", async () => {
    const { data: programs } = await shop.api<{ data: { id: string; name: string }[] }>(`${V2}?limit=100`);
    const { id } = programs.find(({ name }) => name === "Laurel club")!;
    const alice = await shop.api<{ id: string }>("/v1/customers/alice");
    type Members = { data: { id: string; customer_id: string }[] };
    const { data } = await shop.api<Members>(`${V2}/${id}/members?limit=100`);
    const member = data.find(({ customer_id }) => customer_id === alice.id)!.id;
    type Cards = { cards: { card: { id: string; balance: { pending_points: number } } }[] };
    const pending = async () =>
      (await shop.api<Cards>(`${V2}/${id}/members/${member}`)).cards.reduce(
        (sum, { card }) => sum + card.balance.pending_points,
        0,
      );
    const before = await pending();
    type Held = { data: { id: string; name: string }[] };
    const { data: collections } = await shop.api<Held>("/v1/product-collections?limit=100");
    const coffee = collections.find(({ name }) => name === "Coffee")!.id;
    const { data: goods } = await shop.api<Held>(`/v1/product-collections/${coffee}/products?limit=1`);
    // What is earned on one day waits in one lot.
    const drink = async (quantity: number) => {
      const items = [{ product_id: goods[0]!.id, quantity, price: 500 }];
      await shop.write("/v1/orders", { customer: { source_id: "alice" }, status: "PAID", items });
      await eventually(async () => (await pending()) === before + quantity, "a lot waits");
    };
    const lots = page.getByRole("region", { name: "Pending" });
    const cell = (points: number) => page.getByRole("cell", { name: count(points), exact: true });
    const lot = (points: number) =>
      lots
        .getByRole("row")
        .filter({ has: cell(points) })
        .last();
    await drink(2);
    await open(`/loyalty/${id}/members/${member}`, /./);
    await page
      .locator("label")
      .filter({ hasText: /^Stars$/ })
      .click();
    await lot(2).getByRole("button", { name: "Give now" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Give 2 pending points now" }).click();
    await page.getByText("The points can be spent").waitFor();
    await drink(3);
    await page.reload();
    await lot(3).getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel 3 pending points" }).click();
    await page.getByText("The points are canceled").waitFor();
    await page.getByRole("row").filter({ hasText: "Pending points given" }).first().waitFor();
    await page.getByRole("row").filter({ hasText: "Pending points canceled" }).first().waitFor();
    assert.equal(await pending(), before);
    assert.deepEqual(await faultsOf(page), []);
  });

  await t.test("points that expire are listed, the first to go first", async () => {
    const [, , program, , member] = new URL(page.url()).pathname.split("/");
    const path = `${V2}/${program}/members/${member}`;
    type Cards = { cards: { card: { id: string } }[] };
    type Lots = { data: { points: { total: number } }[] };
    const { cards } = await shop.api<Cards>(path);
    const lots = await Promise.all(
      cards.map(async ({ card: { id } }) => ({
        id,
        data: (await shop.api<Lots>(`${path}/cards/${id}/expiring-points?limit=100`)).data,
      })),
    );
    const { id, data } = lots.find((one) => one.data.length > 0)!;
    await open(`/loyalty/${program}/members/${member}?view=${id}`, /./);
    const rows = page.getByRole("region", { name: "Lots" }).locator("tbody tr");
    await rows.nth(data.length - 1).waitFor();
    const shown = await rows.evaluateAll((all) => all.map((row) => row.querySelector("td")?.textContent));
    assert.deepEqual(
      shown,
      data.map(({ points }) => count(points.total)),
    );
  });
}
