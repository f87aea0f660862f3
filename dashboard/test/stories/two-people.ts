import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Page } from "playwright-core";
import { faultsOf, IN_ROLES, type Shop } from "../browser.ts";

const save = (page: Page) => page.getByRole("button", { name: "Save", exact: true }).click();
const isSaved = (page: Page) => page.getByText("Saved", { exact: true }).first().waitFor();

/** Two people have the same form open: whoever saves second is told of what the first one did. */
export async function twoPeople(t: TestContext, shop: Shop): Promise<void> {
  const [first, second] = [await shop.signIn(), await shop.signIn(IN_ROLES.ADMIN)];
  const [one, other] = [first.page, second.page];
  const conflict = other.getByRole("dialog", { name: "Somebody else changed this meanwhile" });
  const openBoth = async (path: string, field: string) => {
    for (const page of [one, other]) {
      await page.goto(shop.url + path);
      await page.getByLabel(field).waitFor();
    }
  };

  await t.test("how offers go together", async () => {
    type Rules = { redeemables_limit: number; applicable_redeemables_limit: number };
    const rules = async () =>
      (await shop.api<{ data: Rules[] }>("/management/v1/projects/{projectId}/stacking-rules")).data[0]!;
    const [limit, applies] = ["Offers in one request", "Offers that apply"];
    // What was never changed has no version.
    await openBoth("/stacking", limit!);
    await one.getByLabel(limit!).fill("29");
    await save(one);
    await isSaved(one);

    await openBoth("/stacking", limit!);
    await one.getByLabel(limit!).fill("28");
    await save(one);
    await isSaved(one);
    await other.getByLabel(limit!).fill("27");
    await other.getByLabel(applies!).fill("4");
    await save(other);
    await conflict.waitFor();
    assert.deepEqual(await faultsOf(other), []);
    assert.equal((await rules()).redeemables_limit, 28);
    await conflict.getByRole("button", { name: "Overwrite" }).click();
    await isSaved(other);
    const { redeemables_limit, applicable_redeemables_limit } = await rules();
    assert.deepEqual([redeemables_limit, applicable_redeemables_limit], [27, 4]);

    // The groups of categories are no part of the form: there is nothing to choose.
    await openBoth("/stacking", limit!);
    const group = one.getByRole("combobox", { name: /^How .* combines$/ }).first();
    const was = await group.inputValue();
    await group.click();
    await one.getByRole("option").filter({ hasNotText: was }).first().click();
    await one.getByRole("button", { name: "Undo" }).waitFor();
    await other.getByLabel(applies!).fill("5");
    await save(other);
    await isSaved(other);
    assert.equal((await rules()).applicable_redeemables_limit, 5);
    await one.getByRole("button", { name: "Undo" }).click();
    await one.getByText("Undone").waitFor();
  });

  await t.test("the brand", async () => {
    type Brand = { brand: { name: string }; contact: { email: string } };
    const brand = async () =>
      (await shop.api<{ data: Brand[] }>("/management/v1/projects/{projectId}/branding")).data[0]!;
    await openBoth("/settings/branding", "Street");
    for (const [field, text] of Object.entries({ Name: "Laurel", Street: "High Street 1", City: "London" }))
      await one.getByRole("textbox", { name: field }).fill(text);
    await one.getByRole("textbox", { name: "Country" }).fill("UK");
    await one.getByRole("textbox", { name: "E-mail" }).fill("shop@example.com");
    await save(one);
    await isSaved(one);

    await openBoth("/settings/branding", "Street");
    await one.getByRole("textbox", { name: "Name" }).fill("Laurel and sons");
    await save(one);
    await isSaved(one);
    await other.getByRole("textbox", { name: "E-mail" }).fill("help@example.com");
    await save(other);
    await conflict.getByRole("button", { name: "Keep both" }).click();
    await isSaved(other);
    const { brand: kept, contact } = await brand();
    assert.deepEqual([kept.name, contact.email], ["Laurel and sons", "help@example.com"]);
  });

  await t.test("a variant of a product", async () => {
    const { id } = await shop.api<{ id: string }>("/v1/products/tee");
    const row = (page: Page) => page.getByRole("row").filter({ hasText: "Story variant" });
    await one.goto(`${shop.url}/products/${id}`);
    await one.getByRole("button", { name: "New variant" }).click();
    await save(one);
    await one.getByText("Fill in this field.").waitFor();
    await one.getByRole("dialog").getByLabel("Name").fill("Story variant");
    await save(one);
    await row(one).waitFor();
    await other.goto(`${shop.url}/products/${id}`);
    for (const page of [one, other]) {
      await row(page).getByRole("button", { name: "Edit" }).click();
      await page.getByRole("dialog").getByLabel("Price").waitFor();
    }
    assert.deepEqual(await faultsOf(one), []);
    await one.getByRole("dialog").getByLabel("Price").fill("12.00");
    await save(one);
    await row(one).getByText("12.00").waitFor();
    await other.getByRole("dialog").getByLabel("Price").fill("15.00");
    await save(other);
    await conflict.getByRole("button", { name: "Take theirs" }).click();
    await other.getByRole("dialog").waitFor({ state: "hidden" });
    await other.reload();
    await row(other).getByText("12.00").waitFor();
    assert.deepEqual([...first.complaints, ...second.complaints], []);
    await first.close();
    await second.close();
  });
}
