import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Locator, Page } from "playwright-core";
import { faultsOf, type Shop } from "../browser.ts";

type Mapping = { type: string; multiplier?: number; points?: number };
type Tier = { name: string; earning_rules: Record<string, Mapping>; rewards: Record<string, Mapping> };
type Terms = { loyalty_tiers_expiration: object };
const byType = (one: Mapping, other: Mapping) => (one.type < other.type ? -1 : 1);

/** What a loyalty campaign is made of: ways to earn, tiers, rewards, and how long a tier lasts. */
export async function loyaltyParts(t: TestContext, shop: Shop, page: Page, id: string): Promise<void> {
  const dialog = page.getByRole("dialog");
  const choose = async (within: Locator, label: string, option: string) => {
    await within.getByRole("combobox", { name: label }).click();
    await page.getByRole("option", { name: option, exact: true }).click();
  };
  await t.test("a loyalty campaign shows and gets ways to earn, tiers and rewards", async () => {
    await page.goto(`${shop.url}/campaigns/${id}?tab=program`);
    await page.getByText("Points expire after 6 months, until the end of the month.").waitFor();
    await page.getByRole("button", { name: "1 point for each $10.00", exact: true }).click();
    await dialog.getByLabel("Points *").fill("3");
    await dialog.getByLabel("Days until the points can be spent").fill("120");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("Write a number from 1 to 90").first().waitFor();
    await dialog.getByLabel("Days until the points can be spent").fill("14");
    await dialog.getByRole("combobox", { name: "Conditions" }).click();
    await page.getByRole("option", { name: "Story of an offer" }).click();
    assert.deepEqual(await faultsOf(page), []);
    await dialog.getByRole("button", { name: "Save" }).click();
    await page
      .getByRole("row")
      .filter({ hasText: "3 points for each $10.00, which can be spent after 14 days" })
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
    await page.getByRole("button", { name: "Add a reward" }).click();
    await dialog.getByLabel("Name").fill("Story cup");
    await dialog.getByRole("combobox", { name: "Product" }).fill("mug");
    await page.getByRole("option", { name: "Mug" }).first().click();
    await dialog.getByLabel("Price in points").fill("70");
    assert.deepEqual(await faultsOf(page), []);
    await dialog.getByRole("button", { name: "Add a reward" }).click();
    await page.getByRole("row").filter({ hasText: "Story cup" }).getByText("70 points").waitFor();
  });

  await t.test("members of a tier earn and pay otherwise, and the tier lasts for a time", async () => {
    await page.getByRole("button", { name: "Add a tier" }).click();
    await dialog.getByLabel("Name").fill("Story tier");
    const earned = dialog.getByRole("group", { name: "3 points for each $10.00" });
    await choose(earned, "In this tier", "so many times the points");
    const formula = dialog.getByRole("group", { name: "Points by a formula" });
    await choose(formula, "In this tier", "other points");
    await formula.getByLabel("Points").fill("9");
    const cup = dialog.getByRole("group", { name: "Story cup" });
    await choose(cup, "In this tier", "another price in points");
    await cup.getByLabel("Points").fill("35");
    await dialog.getByRole("button", { name: "Add a tier" }).click();
    await earned.getByText("Fill in this field.").waitFor();
    await earned.getByLabel("Times").fill("1.5");
    assert.deepEqual(await faultsOf(page), []);
    await dialog.getByRole("button", { name: "Add a tier" }).click();
    await page.getByText("1.5 times: 3 points for each $10.00").waitFor();
    await page.getByText("Story cup for 35 points").waitFor();
    await page.getByRole("button", { name: "Story tier", exact: true }).click();
    await choose(cup, "In this tier", "it cannot be had");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("without Story cup").waitFor();
    const { data: tiers } = await shop.api<{ data: Tier[] }>(`/v1/loyalties/${id}/tiers`);
    const { earning_rules, rewards } = tiers.find(({ name }) => name === "Story tier")!;
    assert.deepEqual(Object.values(earning_rules).sort(byType), [
      { type: "CUSTOM", points: 9 },
      { type: "MULTIPLY", multiplier: 1.5 },
    ]);
    assert.deepEqual(Object.values(rewards), [{ type: "NOT_AVAILABLE" }]);

    await page.getByText("A member is in a tier while the balance is in its range.").waitFor();
    await page.getByRole("button", { name: "How long a tier lasts" }).click();
    await choose(dialog, "What decides the tier", "The points earned in a period");
    await choose(dialog, "Period", "quarter");
    await choose(dialog, "The tier begins", "with the next period");
    await choose(dialog, "The tier ends", "after a time");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("Fill in this field.").waitFor();
    await dialog.getByLabel("How many").fill("6");
    await choose(dialog, "Then it stays", "until the end of the year");
    const says = "It begins with the next period. It lasts for 6 months, then until the end of the year.";
    await dialog.getByText(says).waitFor();
    assert.deepEqual(await faultsOf(page), []);
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByText(says).waitFor();
    const { loyalty_tiers_expiration } = await shop.api<Terms>(`/v1/campaigns/${id}`);
    assert.deepEqual(loyalty_tiers_expiration, {
      ...{ qualification_type: "POINTS_IN_PERIOD", qualification_period: "QUARTER" },
      start_date: { type: "NEXT_PERIOD" },
      expiration_date: { type: "CUSTOM", extend: "P6M", rounding: { type: "YEAR", strategy: "END" } },
    });
  });

  await t.test(
    "a reward gets conditions, and is taken away; ways to earn are stored as they were filled in",
    async () => {
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
      const rules = await shop.api<{ data: { loyalty: object; pending_points: object | null }[] }>(
        `/v1/loyalties/${id}/earning-rules`,
      );
      const amount = { every: 1000, points: 3 };
      assert.deepEqual(
        rules.data.map(({ loyalty, pending_points }) => [loyalty, pending_points]),
        [
          [{ type: "FIXED", points: 1, points_formula: "ORDER_AMOUNT / 200" }, null],
          [
            { type: "PROPORTIONAL", calculation_type: "ORDER_AMOUNT", order: { amount } },
            { period_type: "DAY", period_value: 14 },
          ],
        ],
      );
    },
  );
}
