import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Page } from "playwright-core";
import { faultsOf, type Shop } from "../browser.ts";

const tab = (page: Page, name: string) => page.getByRole("tab", { name, exact: true }).click();
type Changed = { validation_rules_assignments: { total: number }; category_id: string | null };

/** What campaigns get when they are there: offers, rules, a budget, a category, and what a loyalty campaign is made of. */
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

  await t.test("a loyalty campaign shows and gets ways to earn, tiers and rewards", async () => {
    await page.goto(`${shop.url}/campaigns/${ids.loyalty}?tab=program`);
    await page.getByText("Points expire after 6 months, until the end of the month.").waitFor();
    await page.getByRole("button", { name: "1 point for each $10.00", exact: true }).click();
    await dialog.getByLabel("Points *").fill("3");
    await dialog.getByRole("combobox", { name: "Conditions" }).click();
    await page.getByRole("option", { name: "Story of an offer" }).click();
    assert.deepEqual(await faultsOf(page), []);
    await dialog.getByRole("button", { name: "Save" }).click();
    await page
      .getByRole("row")
      .filter({ hasText: "3 points for each $10.00" })
      .getByText("is at least 30.00")
      .waitFor();
    await page.getByRole("button", { name: "Add an earning rule" }).click();
    await dialog.getByRole("combobox", { name: "Gives" }).click();
    await page.getByRole("option", { name: "A fixed number of points" }).click();
    await dialog.getByLabel("Work it out by a formula").click();
    await dialog.getByRole("textbox", { name: "Formula of the points" }).fill("ORDER_AMOUNT / 200");
    assert.deepEqual(await faultsOf(page), []);
    await dialog.getByRole("button", { name: "Add an earning rule" }).click();
    await page.getByRole("row").filter({ hasText: "Points by a formula" }).first().waitFor();
    await page.getByRole("button", { name: "Add a tier" }).click();
    await dialog.getByLabel("Name").fill("Story tier");
    await dialog.getByLabel("Times the points of").first().fill("2");
    await dialog.getByRole("button", { name: "Add a tier" }).click();
    await page.getByText("2 times: 3 points for each $10.00").waitFor();
    await page.getByRole("button", { name: "Add a reward" }).click();
    await dialog.getByLabel("Name").fill("Story cup");
    await dialog.getByRole("combobox", { name: "Product" }).fill("mug");
    await page.getByRole("option", { name: "Mug" }).first().click();
    await dialog.getByLabel("Price in points").fill("70");
    assert.deepEqual(await faultsOf(page), []);
    await dialog.getByRole("button", { name: "Add a reward" }).click();
    await page.getByRole("row").filter({ hasText: "Story cup" }).getByText("70 points").waitFor();
    await page.getByRole("button", { name: "Story cup", exact: true }).click();
    await dialog.getByText("everybody who has the points can get it").waitFor();
    await dialog.getByRole("button", { name: "Add conditions" }).click();
    await page.getByRole("combobox", { name: "A rule that is there" }).click();
    await page.getByRole("option", { name: "Story of an offer" }).click();
    await page.getByRole("button", { name: "Add this rule" }).click();
    await dialog.getByText("is at least 30.00").waitFor();
    assert.deepEqual(await faultsOf(page), []);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Actions for Story cup" }).click();
    await page.getByRole("menuitem", { name: "Remove from the campaign" }).click();
    await page.getByText("Points buy nothing yet").waitFor();
    const rules = await shop.api<{ data: { loyalty: object }[] }>(`/v1/loyalties/${ids.loyalty}/earning-rules`);
    const amount = { every: 1000, points: 3 };
    assert.deepEqual(
      rules.data.map(({ loyalty }) => loyalty),
      [
        { type: "FIXED", points: 1, points_formula: "ORDER_AMOUNT / 200" },
        { type: "PROPORTIONAL", calculation_type: "ORDER_AMOUNT", order: { amount } },
      ],
    );
  });
}
