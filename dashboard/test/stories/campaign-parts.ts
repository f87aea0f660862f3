import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Page } from "playwright-core";
import { faultsOf, type Shop } from "../browser.ts";
import { loyaltyParts } from "./loyalty-parts.ts";

const tab = (page: Page, name: string) => page.getByRole("tab", { name, exact: true }).click();
type Changed = { validation_rules_assignments: { total: number }; category_id: string | null };

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
    await dialog.getByLabel("Switched on").click();
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByRole("row").filter({ hasText: "25% off, only from 18:00" }).getByText("Disabled").waitFor();
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
    assert.deepEqual(await faultsOf(page), []);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("only on Friday").waitFor();
    const conditions = page.getByRole("region", { name: "Conditions" });
    await conditions.getByText("500.00").waitFor();
    const { validation_rules_assignments, category_id } = await shop.api<Changed>(`/v1/campaigns/${ids.promotion}`);
    assert.deepEqual([validation_rules_assignments.total, category_id !== null], [1, true]);
    await conditions.getByRole("button", { name: "Remove the rule Story Promotion" }).click();
    await conditions.getByText("No conditions that hold for all offers").waitFor();
  });

  await loyaltyParts(t, shop, page, ids.loyalty);
}
