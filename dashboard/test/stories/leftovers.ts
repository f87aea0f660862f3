import assert from "node:assert/strict";
import fs from "node:fs";
import type { TestContext } from "node:test";
import { eventually } from "../../../test/support/child.ts";
import { faultsOf, follow, type Shop } from "../browser.ts";
import { figures } from "./figures.ts";

/** What shops do now and then: each is done once, and read from the server again. */
export async function leftovers(t: TestContext, shop: Shop): Promise<void> {
  const { page, complaints, close } = await shop.signIn();
  const dialog = page.getByRole("dialog");
  /** Nothing is loaded anew: the page that stands there goes on. */
  const open = async (path: string, title: string | RegExp) => {
    await follow(page, path);
    await page.getByRole("heading", { level: 1, name: title }).waitFor();
  };
  const save = async () => {
    const written = page.waitForResponse((one) => ["PUT", "POST"].includes(one.request().method()));
    await page.getByRole("button", { name: "Save" }).click();
    assert.ok((await written).ok());
  };
  const idIn = () => new URL(page.url()).pathname.split("/")[2]!;
  await page.goto(`${shop.url}/settings/project`);

  await t.test("settings of the project are saved, and the whole page follows the time zone", async () => {
    const zone = page.getByRole("combobox", { name: "Time zone" });
    const before = await zone.inputValue();
    for (const [name, about] of [
      ["Pacific/Auckland", "Far away"],
      [before, ""],
    ] as const) {
      await page.getByLabel("Description").fill(about);
      await zone.fill(name);
      await page.getByRole("option", { name, exact: true }).click();
      await save();
      type Project = { timezone: string; description: string };
      const { timezone, description } = await shop.api<Project>("/management/v1/projects/{projectId}");
      assert.deepEqual([timezone, description ?? ""], [name, about]);
      await open("/campaigns/new?step=when", "New campaign");
      await page.getByText(`Both times are on the clock of ${name}.`).waitFor({ state: "attached" });
      await open("/settings/project", "Project");
    }
    assert.deepEqual(await faultsOf(page), []);
  });

  await t.test(
    "a metadata schema is made, holds for what is written, and is deleted after its fields were counted",
    async () => {
      await open("/settings/schemas/metadata/new", /./);
      await page.getByRole("textbox", { name: /^For/ }).fill("story_thing");
      await page.getByRole("button", { name: "Add a field" }).click();
      await page.getByLabel("Name of the field").fill("size");
      await page.getByRole("button", { name: "Save" }).click();
      await page.waitForURL(/\/settings\/schemas$/);
      await page.getByRole("link", { name: "size: string" }).click();
      await page.getByRole("heading", { level: 1, name: "story_thing" }).waitFor();
      const { properties } = await shop.api<{ properties: object }>("/v1/metadata-schemas/story_thing");
      assert.deepEqual(Object.keys(properties), ["size"]);
      await page.getByRole("button", { name: "Delete", exact: true }).click();
      await dialog.getByText("It has 1 field.").waitFor();
      await dialog.getByRole("button", { name: /^Delete/ }).click();
      await page.getByText("Schema deleted").waitFor();
    },
  );

  await t.test("the name that customers see is changed", async () => {
    await open("/settings/branding", "Branding");
    await page.getByLabel("Name").fill("Story shop");
    await save();
    const path = "/management/v1/projects/{projectId}/branding";
    const { data } = await shop.api<{ data: { brand: { name: string } }[] }>(path);
    assert.equal(data[0]!.brand.name, "Story shop");
  });

  await t.test("a product with a variant is made and changed, and is in a collection", async () => {
    await open("/products/new", "New product");
    await page.getByLabel("Name").fill("Story scarf");
    await page.getByLabel("Price").fill("19.50");
    await save();
    await page.getByRole("heading", { level: 1, name: "Story scarf" }).waitFor();
    const id = idIn();
    for (const name of ["red", "blue"]) {
      await page.getByRole("button", { name: "New variant" }).click();
      await dialog.getByLabel("Name").fill(name);
      await dialog.getByRole("button", { name: "Save" }).click();
      await page.getByRole("row").filter({ hasText: name }).waitFor();
    }
    const row = page.getByRole("row").filter({ hasText: "red" });
    await row.getByRole("button", { name: "Edit" }).click();
    await dialog.getByLabel("Price").fill("21");
    await dialog.getByRole("button", { name: "Save" }).click();
    await row.getByText("21.00").waitFor();
    type Product = { price: number; skus: { data: { sku: string; price: number | null }[] } };
    const product = () => shop.api<Product>(`/v1/products/${id}`);
    const { price, skus } = await product();
    assert.deepEqual([price, skus.data.find(({ sku }) => sku === "red")!.price], [1950, 2100]);
    await row.getByRole("button", { name: "Delete" }).click();
    await dialog.getByText("Story scarf keeps 1 variant.").waitFor();
    await dialog.getByRole("button", { name: "Delete red" }).click();
    await row.waitFor({ state: "detached" });
    await page.getByRole("link", { name: "Edit" }).click();
    await page.getByLabel("Price").fill("18");
    await save();
    await page.getByText("18.00").first().waitFor();
    assert.equal((await product()).price, 1800);
    await open("/collections/new", "New collection");
    await page.getByLabel("Name").fill("Story goods");
    await page.getByRole("combobox", { name: "Filled" }).click();
    await page.getByRole("option", { name: "By hand" }).click();
    await page.getByRole("combobox", { name: "Add a product" }).fill("Story scarf");
    await page.getByRole("option", { name: "Story scarf" }).first().click();
    await save();
    await page.getByRole("heading", { level: 1, name: "Story goods" }).waitFor();
    await page.getByRole("link", { name: "Story scarf" }).waitFor();
    assert.deepEqual(await faultsOf(page), []);
    await page.getByRole("button", { name: "Delete" }).click();
    // The variant that is left is in it too.
    await dialog.getByText("Story goods goes; its 2 products and variants stay.").waitFor();
    await dialog.getByRole("button", { name: "Delete Story goods" }).click();
    await page.getByRole("heading", { level: 1, name: "Collections" }).waitFor();
  });

  await t.test("a customer is created and edited, and gets the next code of a campaign", async () => {
    await open("/customers/new", "New customer");
    await page.getByLabel("Name").fill("Story Person");
    await page.getByLabel("E-mail").fill("no address");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Write an address such as ann@shop.example.").first().waitFor();
    await page.getByLabel("E-mail").fill("person@shop.example");
    await save();
    await page.getByRole("heading", { level: 1, name: "Story Person" }).waitFor();
    const id = idIn();
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("menuitem", { name: "Edit" }).click();
    await page.getByLabel("City").fill("Oslo");
    await save();
    type Customer = { email: string; address: { city: string } };
    const { email, address } = await shop.api<Customer>(`/v1/customers/${id}`);
    assert.deepEqual([email, address.city], ["person@shop.example", "Oslo"]);
    await page.getByRole("button", { name: "Give a code" }).click();
    await dialog.getByRole("combobox", { name: "Campaign" }).fill("Spring mailing");
    await page.getByRole("option", { name: "Spring mailing" }).first().click();
    await dialog.getByRole("button", { name: "Give a code of Spring mailing" }).click();
    await dialog.waitFor({ state: "detached" });
    const { vouchers } = await shop.api<{ vouchers: { code: string }[] }>(`/v1/vouchers?customer=${id}`);
    assert.equal(vouchers.length, 1);
    await page.getByRole("main").getByText(vouchers[0]!.code).first().waitFor();
  });

  await t.test(
    "what happens is on the page of live events, and what was asked is in the log, by a filter",
    async () => {
      await open("/events", "Live events");
      await page.getByText("Connected. New events appear at the top.").waitFor();
      await shop.write("/v1/customers", { source_id: "story-live", name: "Live Person" });
      await page.getByRole("log").getByText("customer.created").first().waitFor();
      await shop.write("/v1/validations", {
        redeemables: [{ object: "voucher", id: "STORY-LOGGED" }],
        order: { amount: 100 },
      });
      // The log is written behind the answer.
      const path = "/v1/request-log?code=STORY-LOGGED&limit=1";
      await eventually(async () => (await shop.api<{ data: object[] }>(path)).data.length > 0, "it is logged");
      await open("/requests", "Request log");
      await page.getByRole("row").nth(2).waitFor();
      await page.getByRole("searchbox", { name: "Code" }).fill("STORY-LOGGED");
      await page.waitForURL(/code=STORY-LOGGED/);
      await page.getByRole("row").nth(2).waitFor({ state: "detached" });
      await page.getByRole("row").nth(1).getByRole("link", { name: "POST /v1/validations" }).click();
      await page.getByText("STORY-LOGGED").first().waitFor({ state: "attached" });
      assert.deepEqual(await faultsOf(page), []);
    },
  );

  await t.test("a deleted code is in the trash bin, until it is deleted for good", async () => {
    const discount = { type: "AMOUNT", amount_off: 100 };
    await shop.write("/v1/vouchers", { type: "DISCOUNT_VOUCHER", code: "STORY-TRASH", discount });
    await open("/codes/STORY-TRASH", "STORY-TRASH");
    await page.getByRole("button", { name: /^More/ }).click();
    await page.getByRole("menuitem", { name: /^Delete/ }).click();
    await dialog.getByText("It was used 0 times").waitFor();
    await dialog.getByRole("button", { name: "Delete STORY-TRASH" }).click();
    await page.getByRole("heading", { level: 1, name: "Codes" }).waitFor();
    await open("/settings/trash", "Trash bin");
    const row = page.getByRole("row").filter({ hasText: "STORY-TRASH" });
    await row.getByRole("button").last().click();
    await page.getByRole("menuitem", { name: "Delete for good" }).click();
    await dialog.getByRole("textbox").fill("STORY-TRASH");
    await dialog.getByRole("button", { name: "Delete for good" }).click();
    await row.waitFor({ state: "detached" });
    const { data } = await shop.api<{ data: { resource_name: string }[] }>("/v1/trash-bin?limit=100");
    assert.ok(!data.some(({ resource_name }) => resource_name === "STORY-TRASH"));
  });

  await t.test("an export is made, and its file holds the rows", async () => {
    await open("/settings/jobs?tab=exports", "Jobs");
    await page.getByRole("button", { name: "New export" }).click();
    await dialog.getByRole("combobox", { name: "What" }).click();
    await page.getByRole("option", { name: "Products" }).click();
    await dialog.getByRole("button", { name: "Start the export" }).click();
    const row = page.getByRole("row").filter({ hasText: "Products" }).first();
    const link = row.getByRole("link", { name: "Download CSV" });
    await link.waitFor();
    const [file] = await Promise.all([page.waitForEvent("download"), link.click()]);
    assert.match(fs.readFileSync(await file.path(), "utf8"), /T-shirt/);
  });

  await figures(t, shop, page, open);
  assert.deepEqual(complaints, []);
  await close();
}
