import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Locator, Page } from "playwright-core";
import { faultsOf, type Shop } from "../browser.ts";
import { loyaltyParts } from "./loyalty-parts.ts";

const tab = (page: Page, name: string) => page.getByRole("tab", { name, exact: true }).click();
type Windows = {
  validity_timeframe: { interval: string; duration: string } | null;
  validity_hours: { daily: object[] } | null;
};
/** How often a window opens, or how long it stays open. */
const again = (within: Locator, name: string, count: string) =>
  within.getByRole("group", { name }).getByLabel("How many").fill(count);
type Changed = Windows & { validation_rules_assignments: { total: number }; category_id: string | null };

/** What campaigns get when they are there: offers, rules, a budget, a category. */
export async function campaignParts(
  t: TestContext,
  shop: Shop,
  page: Page,
  ids: { promotion: string; loyalty: string },
): Promise<void> {
  const dialog = page.getByRole("dialog");
  await t.test("an offer is added, changed, and given a rule that is made for it", async () => {
    await page.goto(`${shop.url}/campaigns/${ids.promotion}?tab=tiers`);
    await page.getByRole("row").filter({ hasText: "Ten off" }).getByText("Active").waitFor();
    await page.getByRole("button", { name: "Add an offer" }).click();
    await dialog.getByRole("button", { name: "Add an offer" }).click();
    await dialog.getByText("Fill in this field.").first().waitFor();
    await dialog.getByLabel("Name of the offer").fill("Later");
    await dialog.getByLabel("Percent off").fill("20");
    await dialog.getByLabel("Starts").fill("2031-01-01T00:00");
    await dialog.getByLabel("Friday").check();
    await dialog.getByLabel("From", { exact: true }).fill("18:00");
    await dialog.getByLabel("Until", { exact: true }).fill("17:00");
    await dialog.getByRole("button", { name: "Add an offer" }).click();
    await dialog.getByText("The end must be after the start, on the same day.").first().waitFor();
    await dialog.getByLabel("Until", { exact: true }).fill("20:00");
    assert.deepEqual(await faultsOf(page), []);
    await dialog.getByRole("button", { name: "Add an offer" }).click();
    await page.getByRole("row").filter({ hasText: "Later" }).getByText("Scheduled").waitFor();
    await page.getByText("20% off, only on Friday, only from 18:00 to 20:00").waitFor();
    await page.getByRole("button", { name: "Later", exact: true }).click();
    await dialog.getByRole("button", { name: "Add more hours" }).click();
    const more = dialog.getByRole("group", { name: "Hours 2" });
    await more.getByLabel("From", { exact: true }).fill("08:00");
    await more.getByLabel("Until", { exact: true }).fill("09:30");
    await dialog.getByLabel("Only in windows that come again").click();
    await again(dialog, "A window opens every", "2");
    assert.deepEqual(await faultsOf(page), []);
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("only from 18:00 to 20:00 and from 08:00 to 09:30, only for 1 day every 2 weeks").waitFor();
    const offered = await shop.api<{ tiers: (Windows & { name: string })[] }>(`/v1/promotions/${ids.promotion}/tiers`);
    const later = offered.tiers.find(({ name }) => name === "Later")!;
    assert.deepEqual(later.validity_timeframe, { interval: "P2W", duration: "P1D" });
    assert.deepEqual(later.validity_hours?.daily, [
      { start_time: "18:00", expiration_time: "20:00" },
      { start_time: "08:00", expiration_time: "09:30" },
    ]);
    const order = async () => {
      const { tiers } = await shop.api<{ tiers: { name: string }[] }>(`/v1/promotions/${ids.promotion}/tiers`);
      return tiers.map(({ name }) => name);
    };
    await page.getByRole("button", { name: "Move Later up" }).press("Enter");
    await page.getByText("Order changed").waitFor();
    assert.deepEqual(await order(), ["Later", "Ten off"]);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Undone").waitFor();
    assert.deepEqual(await order(), ["Ten off", "Later"]);
    await page.getByRole("button", { name: "Later", exact: true }).click();
    await dialog.getByLabel("Percent off").fill("25");
    await dialog.getByLabel("Friday").uncheck();
    await dialog.getByRole("button", { name: "Remove hours 2" }).click();
    await dialog.getByLabel("Only in windows that come again").click();
    await dialog.getByLabel("Switched on").click();
    await dialog.getByRole("button", { name: "Save" }).click();
    await page
      .getByRole("row")
      .filter({ hasText: "25% off, only from 18:00 to 20:00" })
      .getByText("Disabled")
      .waitFor();
    await page.getByRole("button", { name: "Later", exact: true }).click();
    await dialog.getByRole("button", { name: "Add conditions" }).click();
    await dialog.getByRole("link", { name: "Make a new rule instead" }).click();
    await page.getByText("Once it is saved, it applies to Later.").waitFor();
    await page.getByLabel("Name").fill("Story of an offer");
    await page.getByRole("combobox", { name: "Add a condition", exact: true }).click();
    await page.getByRole("option", { name: "Order before this discount", exact: true }).click();
    await page.getByLabel("Value for Order before this discount").fill("30");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("table", { name: "Used by" }).getByRole("link", { name: "Later" }).click();
    await dialog.getByText("is at least 30.00").waitFor();
    assert.deepEqual(await faultsOf(page), []);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Actions for Later" }).click();
    await page.getByRole("menuitem", { name: "Delete the offer…" }).click();
    await dialog.getByText("It was redeemed 0 times").waitFor();
    await dialog.getByRole("button", { name: "Delete Later" }).click();
    await page.getByRole("row").filter({ hasText: "Later" }).waitFor({ state: "detached" });
  });

  await t.test("a campaign without conditions gets a budget and a category later", async () => {
    await page.goto(`${shop.url}/campaigns/${ids.promotion}/edit`);
    await tab(page, "Limits");
    await page.getByLabel("Budget").fill("500");
    await page.getByRole("combobox", { name: "Stacking category" }).click();
    await page.getByRole("option").first().click();
    await tab(page, "Who and when");
    await page.getByLabel("Friday").check();
    await page.getByLabel("Only in windows that come again").click();
    await again(page.getByRole("tabpanel"), "and stays open for", "8");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Windows that come again are counted from here: choose a start.").first().waitFor();
    await page.getByLabel("Starts").fill("2026-01-01T00:00");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("A window has to end before the next one opens.").first().waitFor();
    await again(page.getByRole("tabpanel"), "and stays open for", "3");
    assert.deepEqual(await faultsOf(page), []);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("only on Friday, only for 3 days every week").waitFor();
    const conditions = page.getByRole("region", { name: "Conditions" });
    await conditions.getByText("500.00").waitFor();
    const { validation_rules_assignments, category_id, validity_timeframe } = await shop.api<Changed>(
      `/v1/campaigns/${ids.promotion}`,
    );
    assert.deepEqual([validation_rules_assignments.total, category_id !== null], [1, true]);
    assert.deepEqual(validity_timeframe, { interval: "P1W", duration: "P3D" });
    await conditions.getByRole("button", { name: "Remove the rule Story Promotion" }).click();
    await conditions.getByText("No conditions that hold for all offers").waitFor();
  });

  await loyaltyParts(t, shop, page, ids.loyalty);
}
