import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Page } from "playwright-core";
import { faultsOf, IN_ROLES, type Shop } from "../browser.ts";

const tab = (page: Page, name: string) => page.getByRole("tab", { name, exact: true }).click();
const choose = async (page: Page, label: string, option: string) => {
  await page.getByRole("combobox", { name: label }).fill(option);
  await page.getByRole("option", { name: option, exact: true }).click();
};

type Entry = { object: string; id: string };
type Rule = {
  id: string;
  name: string;
  rules: Record<string, unknown>;
  applicable_to: { included: Entry[]; excluded: Entry[]; included_all: boolean };
  assignments_count?: number;
};
type Assigned = { data: { id: string; rule_id: string }[] };
type Shown = { id: string; validation_rules_assignments: Assigned; voucher?: { discount?: { effect?: string } } };

/** A discount takes some products only: it is said in the form, in the sentence, and holds at the checkout. */
export async function goods(t: TestContext, shop: Shop): Promise<void> {
  const { page, complaints, close } = await shop.signIn();
  const rulesOf = ({ data }: Assigned) =>
    Promise.all(data.map(({ rule_id }) => shop.api<Rule>(`/v1/validation-rules/${rule_id}`)));
  /** What is off on each line of a T-shirt for 20.00 and a mug for 12.00. */
  const offOf = async (redeemable: { object: string; id: string }) => {
    const items = ["tee", "mug"].map((source_id) => ({ source_id, related_object: "product", quantity: 1 }));
    const { body } = await shop.write("/v1/validations", { redeemables: [redeemable], order: { items } });
    return (body.order.items as { discount_amount?: number }[]).map(({ discount_amount = 0 }) => discount_amount);
  };
  const code = (id: string) => ({ object: "voucher", id });
  const idIn = () => new URL(page.url()).pathname.split("/")[2]!;
  const campaign = (id: string) => shop.api<Shown>(`/v1/campaigns/${id}`);

  let id = "";
  await t.test("20% off shirts only: one rule with its other conditions, and only shirts are cheaper", async () => {
    await page.goto(`${shop.url}/campaigns/new`);
    await page.getByLabel("Name").fill("Shirts only");
    await tab(page, "Codes");
    await page.getByLabel("One code for everybody").check();
    await page.getByRole("textbox", { name: /^Code/ }).fill("SHIRTS-STORY");
    await tab(page, "Who and when");
    await page.getByLabel("Only orders of at least").fill("10");
    await tab(page, "Offer");
    await page.getByLabel("Percent off").fill("20");
    await page.getByRole("radio", { name: "Only these" }).focus();
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: "Create campaign" }).click();
    await page.getByText("Choose at least one product or collection").first().waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("data-path")), "goods");
    await choose(page, "Add a collection", "Shirts");
    await page.getByText("get 20% off Shirts").waitFor();
    // The next one can be typed at once.
    const field = page.getByRole("combobox", { name: "Add a collection" });
    assert.equal(await field.inputValue(), "");
    assert.ok(await field.evaluate((one) => one === document.activeElement));
    // Only a discount on lines knows products.
    await page.getByRole("combobox", { name: "Applies to" }).click();
    await page.getByRole("option", { name: "Each line of the order" }).waitFor();
    assert.equal(await page.getByRole("option", { name: "The whole order" }).count(), 0);
    await page.keyboard.press("Escape");
    assert.deepEqual(await faultsOf(page), []);
    await page.setViewportSize({ width: 380, height: 900 });
    assert.deepEqual(await faultsOf(page), []);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole("button", { name: "Show as API call" }).click();
    const call = page.getByRole("dialog").locator("pre");
    await call.getByText('"included"').waitFor();
    assert.match((await call.textContent())!, /products_collection[\s\S]*validation-rules[\s\S]*APPLY_TO_ITEMS/);
    await page.keyboard.press("Escape");
    await tab(page, "Check");
    await choose(page, "Add a product", "Mug");
    await page.getByText("does not apply", { exact: true }).first().waitFor();
    await choose(page, "Add a product", "T-shirt");
    await page.getByText("applies", { exact: true }).first().waitFor();
    await page.getByRole("button", { name: "Create campaign" }).click();
    await page.waitForURL(/\/campaigns\/camp_\w+$/);
    await page.getByText("get 20% off Shirts").waitFor();
    id = idIn();
    const made = await rulesOf((await campaign(id)).validation_rules_assignments);
    assert.equal(made.length, 1);
    assert.equal((made[0]!.rules["1"] as { name: string }).name, "order.initial_amount");
    assert.deepEqual(
      made[0]!.applicable_to.included.map(({ object }) => object),
      ["products_collection"],
    );
    assert.deepEqual(await offOf(code("SHIRTS-STORY")), [400, 0]);
  });

  await t.test("from its page it is changed to all except shirts, in the same rule", async () => {
    const before = (await campaign(id)).validation_rules_assignments.data;
    const card = page.getByRole("region", { name: "Which products" });
    await card.getByText("Shirts").waitFor();
    await card.getByRole("link", { name: "Change the products" }).click();
    await page.getByRole("radio", { name: "All except these" }).check();
    await page.getByText("20% off everything except Shirts").waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.waitForURL(/\/campaigns\/camp_\w+$/);
    await page.getByText("20% off everything except Shirts").waitFor();
    await card.getByText("All except these").waitFor();
    assert.deepEqual(await faultsOf(page), []);
    assert.deepEqual((await campaign(id)).validation_rules_assignments.data, before);
    assert.deepEqual(await offOf(code("SHIRTS-STORY")), [0, 240]);
  });

  await t.test("a rule that others share stays as it is", async () => {
    const { id: mug } = await shop.api<{ id: string }>("/v1/products/mug");
    const { body: shared } = await shop.write("/v1/validation-rules", {
      name: "Mugs of all",
      applicable_to: { included: [{ object: "product", id: mug }], excluded: [], included_all: false },
    });
    const discount = { type: "PERCENT", percent_off: 10, effect: "APPLY_TO_ITEMS" };
    const ids: string[] = [];
    for (const name of ["MUG-ONE", "MUG-TWO"]) {
      const voucher = { type: "DISCOUNT_VOUCHER", code: name, discount };
      const body = { name, campaign_type: "DISCOUNT_COUPONS", type: "STANDALONE", voucher };
      ids.push((await shop.write("/v1/campaigns", { ...body, validation_rules: [shared.id] })).body.id);
    }
    await page.goto(`${shop.url}/campaigns/${ids[0]}/edit?step=offer`);
    await page.getByText("Others use the rule “Mugs of all” too").waitFor();
    await choose(page, "Add a product or a variant", "T-shirt");
    await page.getByText("10% off Mug and T-shirt").waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.waitForURL(/\/campaigns\/camp_\w+$/);
    await page.getByText("10% off Mug and T-shirt").waitFor();
    const [rule, ...others] = await rulesOf((await campaign(ids[0]!)).validation_rules_assignments);
    assert.notEqual(rule!.id, shared.id);
    assert.deepEqual(others, []);
    assert.deepEqual(await offOf(code("MUG-ONE")), [200, 120]);
    assert.deepEqual(await offOf(code("MUG-TWO")), [0, 120]);
    // A second rule that names products: what both say together is no choice of three.
    const assigned = { related_object_type: "campaign", related_object_id: ids[1] };
    await shop.write(`/v1/validation-rules/${rule!.id}/assignments`, assigned);
    await page.goto(`${shop.url}/campaigns/${ids[1]}`);
    await page.getByText("10% off some products").waitFor();
    await page.goto(`${shop.url}/campaigns/${ids[1]}/edit?step=offer`);
    await page.getByText("Its rules say more about products than this form can show.").waitFor();
    assert.equal(await page.getByRole("radio", { name: "Only these" }).count(), 0);
  });

  await t.test("two people change the products only: who is later sees what the other one chose", async () => {
    const other = await shop.signIn(IN_ROLES.ADMIN);
    const discount = { type: "PERCENT", percent_off: 10, effect: "APPLY_TO_ITEMS" };
    const voucher = { type: "DISCOUNT_VOUCHER", code: "TWO-PEOPLE", discount };
    const made = { name: "Two people", campaign_type: "DISCOUNT_COUPONS", type: "STANDALONE", voucher };
    const { body } = await shop.write("/v1/campaigns", made);
    const { id: mug } = await shop.api<{ id: string }>("/v1/products/mug");
    const { id: tee } = await shop.api<{ id: string }>("/v1/products/tee");
    const rules = async () => rulesOf((await campaign(body.id)).validation_rules_assignments);
    const entries = async () => (await rules()).map(({ applicable_to: { included } }) => included.map(({ id }) => id));
    const openBoth = async () => {
      for (const one of [page, other.page]) {
        await one.goto(`${shop.url}/campaigns/${body.id}/edit?step=offer`);
        await one.getByRole("radio", { name: "Only these" }).waitFor();
      }
    };
    const save = (one: Page) => one.getByRole("button", { name: "Save" }).click();
    const isSaved = (one: Page) => one.waitForURL(/\/campaigns\/camp_\w+$/);
    const conflict = other.page.getByRole("dialog", { name: "Somebody else changed this meanwhile" });

    // Nobody has made a rule yet. Of two rules the form could never show the products again.
    await openBoth();
    await page.getByRole("radio", { name: "Only these" }).check();
    await choose(page, "Add a product or a variant", "Mug");
    await save(page);
    await isSaved(page);
    await other.page.getByRole("radio", { name: "Only these" }).check();
    await choose(other.page, "Add a product or a variant", "T-shirt");
    await save(other.page);
    await conflict.waitFor();
    assert.deepEqual(await entries(), [[mug]]);
    await conflict.getByRole("button", { name: "Overwrite" }).click();
    await isSaved(other.page);
    assert.deepEqual(await entries(), [[tee]]);

    // Both have read the rule that is there.
    await openBoth();
    await choose(page, "Add a product or a variant", "Mug");
    await save(page);
    await isSaved(page);
    await other.page.getByRole("radio", { name: "All except these" }).check();
    await save(other.page);
    await conflict.getByRole("button", { name: "Take theirs" }).click();
    await isSaved(other.page);
    assert.deepEqual(await entries(), [[tee, mug]]);

    // Whoever is faster than the last look is told of by the version of the rule.
    await other.page.goto(`${shop.url}/campaigns/${body.id}/edit?step=offer`);
    await other.page.getByRole("radio", { name: "All products" }).check();
    const written = other.page.waitForRequest(
      (one) => one.method() === "PUT" && one.url().includes("validation-rules"),
    );
    await save(other.page);
    assert.match((await written).headers()["if-match"] ?? "", /^"/);
    await isSaved(other.page);
    assert.deepEqual(other.complaints, []);
    await other.close();
  });

  await t.test("a rule that comes below the open form of an offer takes the products as well", async () => {
    const tier = { name: "Below", action: { discount: { type: "PERCENT", percent_off: 5, effect: "APPLY_TO_ITEMS" } } };
    const made = { name: "Rules below", campaign_type: "PROMOTION", promotion: { tiers: [tier] } };
    const { body } = await shop.write("/v1/campaigns", made);
    type Tiers = { tiers: { id: string; validation_rule_assignments: Assigned }[] };
    const tiers = () => shop.api<Tiers>(`/v1/promotions/${body.id}/tiers`);
    const related_object_id = (await tiers()).tiers[0]!.id;
    await page.goto(`${shop.url}/campaigns/${body.id}?tab=tiers`);
    await page.getByRole("button", { name: "Below", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("radio", { name: "Only these" }).check();
    const conditions = [{ name: "order.initial_amount", conditions: { $more_than_or_equal: [100] } }];
    const { body: rule } = await shop.write("/v1/validation-rules", { name: "Below", rules: { "1": conditions[0] } });
    const assigned = { related_object_type: "promotion_tier", related_object_id };
    await shop.write(`/v1/validation-rules/${rule.id}/assignments`, assigned);
    await choose(page, "Add a product or a variant", "Mug");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "hidden" });
    const found = await rulesOf((await tiers()).tiers[0]!.validation_rule_assignments);
    assert.deepEqual(
      found.map(({ id, applicable_to }) => [id, applicable_to.included.length]),
      [[rule.id, 1]],
    );
  });

  await t.test("the offers of a promotion have products of their own", async () => {
    await page.goto(`${shop.url}/campaigns/new`);
    await page.getByRole("radio", { name: "Promotion", exact: true }).check();
    await page.getByLabel("Name").first().fill("Story of goods");
    await tab(page, "Offer");
    await page.getByLabel("Name of the offer").fill("Mugs");
    await page.getByLabel("Percent off").fill("50");
    await page.getByRole("radio", { name: "Only these" }).check();
    await choose(page, "Add a product or a variant", "Mug");
    await page.getByText("get 50% off Mug").waitFor();
    await page.getByRole("button", { name: "Create campaign" }).click();
    await page.waitForURL(/\/campaigns\/camp_\w+$/);
    await page.getByText("get 50% off Mug").waitFor();
    await page.goto(`${shop.url}/campaigns/${idIn()}?tab=tiers`);
    const row = page.getByRole("row").filter({ hasText: "Mugs" });
    await row.getByText("50% off Mug").waitFor();
    type Tiers = { tiers: { id: string; validation_rule_assignments: Assigned }[] };
    const { tiers } = await shop.api<Tiers>(`/v1/promotions/${idIn()}/tiers`);
    const tier = { object: "promotion_tier", id: tiers[0]!.id };
    assert.deepEqual(await offOf(tier), [0, 600]);
    await page.getByRole("button", { name: "Mugs", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("radio", { name: "All except these" }).check();
    assert.deepEqual(await faultsOf(page), []);
    await dialog.getByRole("button", { name: "Save" }).click();
    await row.getByText("50% off everything except Mug").waitFor();
    assert.deepEqual(await offOf(tier), [1000, 0]);
    await page.getByRole("button", { name: "Add an offer" }).click();
    await dialog.getByLabel("Name of the offer").fill("Medium");
    await dialog.getByLabel("Percent off").fill("5");
    await dialog.getByRole("radio", { name: "Only these" }).check();
    await dialog.getByRole("combobox", { name: "Add a product or a variant" }).fill("T-shirt");
    await page.getByRole("option", { name: "T-shirt · tee, M" }).click();
    await dialog.getByRole("button", { name: "Add an offer" }).click();
    await page.getByRole("cell", { name: "5% off T-shirt · tee, M" }).waitFor();
    assert.deepEqual(complaints, []);
    await close();
  });
}
