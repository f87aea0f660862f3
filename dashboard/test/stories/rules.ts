import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Locator } from "playwright-core";
import { faultsOf, type Shop } from "../browser.ts";

type Rule = { id: string; name: string; rules: object };

/** Somebody changes rules and formulas, and sees what they do before anything is saved. */
export async function rules(t: TestContext, shop: Shop): Promise<void> {
  const { page, complaints, close } = await shop.signIn();
  const { products } = await shop.api<{ products: { id: string; name: string }[] }>("/v1/products?limit=20");
  const shirt = products.find(({ name }) => name === "T-shirt")!.id;
  const { data } = await shop.api<{ data: Rule[] }>("/v1/validation-rules?limit=50");
  const shipping = data.find(({ name }) => name === "Free shipping from 50")!;

  await t.test("a rule that is not saved refuses the cart, and accepts it, while somebody types", async () => {
    await page.goto(`${shop.url}/rules/${shipping.id}?item=${shirt}*2&code=FREESHIP`);
    const value = page.getByLabel("Value for Amount of these lines");
    await value.fill("60");
    await page.getByText("It is not saved yet.").waitFor();
    await page.getByText("20.00 short").first().waitFor();
    await page.getByText("does not apply").first().waitFor();
    await value.fill("40");
    await page.getByText("does not apply").waitFor({ state: "detached" });
    assert.deepEqual(await faultsOf(page), []);
    assert.deepEqual((await shop.api<Rule>(`/v1/validation-rules/${shipping.id}`)).rules, shipping.rules);
  });

  await t.test("a rule that is new is tried alone, at another time, before it has a name", async () => {
    await page.goto(`${shop.url}/rules/new?item=${shirt}*1`);
    await page.getByRole("combobox", { name: "Add a condition", exact: true }).click();
    await page.getByRole("option", { name: "Order before this discount", exact: true }).click();
    await page.getByLabel("Value for Order before this discount").fill("30");
    await page.getByText("10.00 short").first().waitFor();
    await page.getByLabel("Quantity of T-shirt").fill("2");
    await page.getByText("does not apply").waitFor({ state: "detached" });
    await page.getByLabel("At", { exact: true }).fill("2027-03-14T09:00");
    await page.waitForURL(/at=2027-03-14/);
    await page.getByText("This rule alone").first().waitFor();
    // A condition without a value is not left out in silence: the offer would be open to everybody.
    await page.getByLabel("Name").fill("Story unfinished");
    await page.getByLabel("Value for Order before this discount").fill("");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("A condition has no value. Fill it in, or remove it.").waitFor();
    assert.match(page.url(), /\/rules\/new/);
  });

  await t.test("a group is a bracket: any of two conditions, and a third, decide a cart together", async () => {
    await page.goto(`${shop.url}/rules/new?item=${shirt}*2`);
    const add = async (group: Locator, name: string, value: string) => {
      await group.getByRole("combobox", { name: "Add a condition", exact: true }).last().click();
      await page.getByRole("option", { name, exact: true }).click();
      await group.getByLabel(`Value for ${name}`).last().fill(value);
    };
    const editor = page.getByRole("main");
    await page.getByLabel("Name").fill("Story brackets");
    await add(editor, "Order before this discount", "30");
    await page.getByRole("button", { name: "Add a group" }).click();
    // The group has its own button for conditions; that of the whole stands below it.
    const bracket = page.getByRole("listitem").filter({ has: page.getByRole("button", { name: "Remove the group" }) });
    await add(bracket, "Order before this discount", "1000");
    await page.getByText("does not apply").first().waitFor();
    await add(bracket, "Units in the cart", "1");
    await page.getByText("does not apply").waitFor({ state: "detached" });
    assert.deepEqual(await faultsOf(page), []);
    await page.getByRole("button", { name: "Save" }).click();
    await page.waitForURL(/\/rules\/val_/);
    const { data: saved } = await shop.api<{ data: Rule[] }>("/v1/validation-rules?limit=50");
    const { logic } = saved.find(({ name }) => name === "Story brackets")!.rules as { logic: string };
    assert.match(logic, /^\(?\w+\)? and \(\w+ or \w+\)$/);
  });

  await t.test(
    "a rule is given to a code from its own page, and on the page of the code taken away, and given by a part of its name",
    async () => {
      await page.getByText("Nothing uses this rule yet").waitFor();
      await page.getByRole("button", { name: "Use this rule for…" }).click();
      const window = page.getByRole("dialog");
      await window.getByText("One code").click();
      await window.getByLabel("Code", { exact: false }).last().fill("SUMMER5");
      await window.getByRole("button", { name: "Use it there" }).click();
      await page.getByRole("table", { name: "Used by" }).getByRole("link", { name: "SUMMER5" }).click();
      await page.getByRole("button", { name: "Remove the rule Story brackets" }).click();
      await page.getByRole("button", { name: "Remove the rule Story brackets" }).waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Add conditions" }).click();
      await window.getByLabel("A rule that is there").pressSequentially("tory bracket");
      await page.getByRole("option").filter({ hasNotText: "Story brackets" }).first().waitFor({ state: "detached" });
      await page.getByRole("option", { name: "Story brackets" }).click();
      await window.getByRole("button", { name: "Add this rule" }).click();
      await page.getByRole("button", { name: "Remove the rule Story brackets" }).click();
      await page.getByRole("button", { name: "Remove the rule Story brackets" }).waitFor({ state: "detached" });
      assert.deepEqual(await faultsOf(page), []);
      const code = await shop.api<{ validation_rules_assignments: { total: number } }>("/v1/vouchers/SUMMER5");
      assert.equal(code.validation_rules_assignments.total, 0);
    },
  );

  await t.test("a formula is completed, and its fault is shown at its place", async () => {
    await page.goto(`${shop.url}/campaigns/new`);
    await page.getByRole("tab", { name: "Offer", exact: true }).click();
    await page.getByRole("switch", { name: "Work it out by a formula" }).click();
    const editor = page.getByRole("textbox", { name: /^Formula of/ });
    await editor.click();
    await page.keyboard.type("ORDER_AMO");
    await page
      .getByRole("option", { name: /^ORDER_AMOUNT/ })
      .first()
      .click();
    await page.keyboard.type(" * ");
    await page.getByText(/At character \d+: expected a value/).waitFor();
    await page.locator(".cm-lintRange-error").waitFor();
    await page.keyboard.type("0.1");
    await page.getByText(/At character/).waitFor({ state: "detached" });
    assert.deepEqual(await faultsOf(page), []);
  });

  await t.test("the sums of filtered redemptions are those of the rows, and the keys are listed", async () => {
    await page.goto(`${shop.url}/redemptions?result=SUCCESS`);
    const sums = page.getByRole("region", { name: "Sums of these redemptions" });
    await sums.waitFor();
    type Row = { status: string };
    const list = await shop.api<{ total: number; redemptions: Row[] }>("/v1/redemptions?result=SUCCESS&limit=100");
    const all = [...list.redemptions];
    for (let at = 2; all.length < list.total; at += 1)
      all.push(...(await shop.api<typeof list>(`/v1/redemptions?result=SUCCESS&limit=100&page=${at}`)).redemptions);
    const count = all.filter(({ status }) => status === "SUCCEEDED").length;
    await sums.getByText(new Intl.NumberFormat("en-GB").format(count), { exact: true }).first().waitFor();
    await page.locator("h1").click();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).getByText("Open the row").waitFor();
    assert.deepEqual(await faultsOf(page), []);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "Keys" }).waitFor({ state: "detached" });
    await page.goto(`${shop.url}/campaigns`);
    await page.locator("[data-row] [data-opens]").first().waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("e");
    await page.waitForURL(/\/campaigns\/[^/]+\/edit/);
  });

  await t.test("settings of stacking are tried on a cart before they are saved", async () => {
    await page.goto(`${shop.url}/stacking`);
    await page.getByLabel("Code 1").fill("MEMBER3");
    await page.getByLabel("Code 2").fill("SUMMER5");
    await page.getByRole("button", { name: "Try on the cart" }).click();
    await page.getByText("Applies", { exact: true }).nth(1).waitFor();
    await page.getByLabel("Offers that apply", { exact: true }).fill("1");
    await page.getByText("They are not saved yet.").waitFor();
    await page
      .getByText(/^(Left out|Does not apply)$/)
      .first()
      .waitFor();
    const { data: saved } = await shop.api<{ data: { applicable_redeemables_limit: number }[] }>(
      "/management/v1/projects/{projectId}/stacking-rules",
    );
    assert.notEqual(saved[0]!.applicable_redeemables_limit, 1);
  });

  await t.test("a person is found by how the name begins, and a request that was answered is explained", async () => {
    await page.goto(`${shop.url}/simulator`);
    await page.getByRole("combobox", { name: "Customer", exact: true }).fill("ali");
    await page.getByRole("option", { name: /alice/i }).first().click();
    await page.waitForURL(/as=/);
    const { data: logged } = await shop.api<{ data: { id: string }[] }>("/v1/request-log?limit=1");
    await page.goto(`${shop.url}/why?q=${logged[0]!.id}`);
    await page.getByRole("link", { name: "Open the request" }).waitFor();
    await page.getByText("What was answered").waitFor();
    assert.deepEqual(await faultsOf(page), []);
  });
  assert.deepEqual(complaints, []);
  await close();
}
