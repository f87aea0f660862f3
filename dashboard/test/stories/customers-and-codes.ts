import assert from "node:assert/strict";
import fs from "node:fs";
import type { TestContext } from "node:test";
import { faultsOf, type Shop } from "../browser.ts";

type Customer = { id: string; email: string; loyalty: { points: number } };
type Voucher = { active: boolean; expiration_date: string | null; additional_info: string | null };

/** Customers and codes: found, given, generated, imported and erased. */
export async function customersAndCodes(t: TestContext, shop: Shop): Promise<void> {
  const { page, complaints } = await shop.signIn();
  const open = async (path: string) => {
    await page.goto(shop.url + path);
    await page.getByRole("heading", { level: 1 }).waitFor();
  };

  await t.test("somebody is found by the id of the shop, and points are given with a reason", async () => {
    const before = await shop.api<Customer>("/v1/customers/guest-34");
    await open("/customers");
    await page.getByRole("searchbox").fill("ivo mor");
    await page.waitForURL(/q=ivo/);
    assert.deepEqual(await faultsOf(page), []);
    await page.getByRole("searchbox").fill("guest-34");
    await page.waitForURL(/q=guest-34/);
    await page.getByRole("row", { name: "guest-34" }).getByRole("link", { name: "Ivo Moreau" }).click();
    await page.getByText("Coffee club").first().waitFor();
    await page.getByRole("button", { name: "Give points" }).click();
    const window = page.getByRole("dialog");
    await window.getByRole("button", { name: "Give points" }).click();
    // Save is never grey: it says what is missing, at the fields.
    await window.getByText("Write a whole number that is not zero.").waitFor();
    await window.getByLabel("Points").fill("50");
    await window.getByLabel("Reason").fill("a late parcel");
    assert.deepEqual(await faultsOf(page), []);
    await window.getByRole("button", { name: "Give 50 points to Ivo Moreau" }).click();
    await page.getByText("50 points for Ivo Moreau").waitFor();
    await page.getByText("50 points added · Coffee club").waitFor();
    const after = await shop.api<Customer>("/v1/customers/guest-34");
    assert.equal(after.loyalty.points, before.loyalty.points + 50);
  });

  await t.test("a code is switched off, and undo switches it on again", async () => {
    await open("/codes/GIFT25");
    await page.getByRole("button", { name: "Disable" }).click();
    await page.getByText("1 code disabled").waitFor();
    assert.equal((await shop.api<Voucher>("/v1/vouchers/GIFT25")).active, false);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Undone").waitFor();
    assert.equal((await shop.api<Voucher>("/v1/vouchers/GIFT25")).active, true);
  });

  await t.test("two people change one code, and no change is lost", async () => {
    const other = await page.context().newPage();
    for (const one of [page, other]) {
      await one.goto(`${shop.url}/codes/GIFT25/edit`);
      await one.getByLabel("Note").waitFor();
    }
    await page.getByLabel("Note").fill("by ann");
    await page.getByRole("button", { name: "Save" }).click();
    await page.waitForURL(`${shop.url}/codes/GIFT25`);
    await other.getByLabel("Note").fill("by bo");
    await other.getByLabel("Ends").fill("2031-05-31T12:00");
    await other.getByRole("button", { name: "Save" }).click();
    await other.getByRole("row").filter({ hasText: "Note" }).filter({ hasText: "by ann" }).waitFor();
    assert.equal((await shop.api<Voucher>("/v1/vouchers/GIFT25")).additional_info, "by ann");
    assert.deepEqual(await faultsOf(other), []);
    await other.getByRole("button", { name: "Overwrite" }).click();
    await other.waitForURL(`${shop.url}/codes/GIFT25`);
    const { additional_info, expiration_date } = await shop.api<Voucher>("/v1/vouchers/GIFT25");
    assert.deepEqual([additional_info, expiration_date?.slice(0, 10)], ["by bo", "2031-05-31"]);
    await other.close();
  });

  await t.test(
    "a code is given to somebody, printed with its picture, and exported with the rows that are shown",
    async () => {
      await open("/codes/SUMMER5");
      await page.locator("main [data-status=ACTIVE]").first().waitFor();
      await page.getByRole("button", { name: "Give to somebody" }).click();
      await page.getByRole("dialog").getByRole("combobox", { name: "Customer" }).fill("guest-3");
      await page.getByRole("option").first().click();
      await page.getByRole("button", { name: /^Give SUMMER5 to/ }).click();
      await page.getByText(/has the code SUMMER5 now/).waitFor();
      await open("/codes/print?code=SUMMER5");
      const picture = page.getByRole("img", { name: "QR code of SUMMER5" });
      await picture.waitFor();
      await page.waitForFunction(() => document.querySelector("img")!.naturalWidth > 0);
      // All that a filter shows, and only what is selected.
      const { total } = await shop.api<{ total: number }>("/v1/vouchers?campaign=Spring%20mailing&limit=1");
      const { vouchers } = await shop.api<{ vouchers: { campaign_id: string }[] }>(
        "/v1/vouchers?campaign=Spring%20mailing&limit=1",
      );
      assert.ok(total > 100, "more than a page of the list");
      await open(`/codes/print?campaign_id=${vouchers[0]!.campaign_id}`);
      await page.getByText(`${total} codes`, { exact: true }).waitFor();
      assert.equal(await page.getByRole("img", { name: /^QR code of/ }).count(), total);
      await open("/codes");
      await page.getByRole("searchbox").fill("GIFT25");
      await page.waitForURL(/GIFT25/);
      await page.getByRole("row").filter({ hasText: "GIFT25" }).getByRole("checkbox").check();
      await page.getByRole("link", { name: "Print" }).click();
      await page.getByText("1 code", { exact: true }).waitFor();
      await page.getByRole("img", { name: "QR code of GIFT25" }).waitFor();
      await page.goBack();
      await page.getByRole("row").filter({ hasText: "GIFT25" }).waitFor();
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Export", exact: true }).click(),
      ]);
      const lines = fs
        .readFileSync(await file.path(), "utf8")
        .trim()
        .split("\n");
      assert.equal(lines.length, 2);
      assert.match(lines[1]!, /GIFT25/);
    },
  );

  await t.test("codes are generated, with progress", async () => {
    const count = async () => (await shop.api<{ total: number }>("/v1/vouchers?campaign=Spring%20mailing")).total;
    const before = await count();
    await open("/codes/new");
    await page.getByRole("combobox", { name: "Campaign" }).fill("spring");
    await page.getByRole("option", { name: "Spring mailing" }).click();
    await page.getByLabel("How many").fill("20");
    await page.getByRole("button", { name: "Make 20 codes" }).click();
    await page.getByText("Generated 20 vouchers.").waitFor();
    assert.equal(await count(), before + 20);
  });

  await t.test("a file is mapped, tried, and imported without its faulty row", async () => {
    const content = "my code;Value\nPAPER-1;10\nPAPER-2;ten\n";
    await open("/codes/import");
    await page
      .locator("input[type=file]")
      .setInputFiles({ name: "codes.csv", mimeType: "text/csv", buffer: Buffer.from(content) });
    await page.getByText("Say which column has the codes.").waitFor();
    await page.getByRole("combobox", { name: "Code", exact: true }).click();
    await page.getByRole("option", { name: "my code" }).click();
    await page.getByRole("button", { name: "Try it" }).click();
    await page.getByText("Say what the codes give, or choose a campaign.").waitFor();
    await page.getByRole("combobox", { name: "What the codes give" }).click();
    await page.getByRole("option", { name: "Percent off" }).click();
    await page.getByRole("button", { name: "Try it" }).click();
    await page.getByText("1 voucher(s) would be imported, 1 failed.").waitFor();
    await page.getByText("must be a number such as 1.5").waitFor();
    assert.deepEqual(await faultsOf(page), []);
    assert.equal((await shop.api<{ key?: string }>("/v1/vouchers/PAPER-1")).key, "not_found");
    await page.getByRole("button", { name: "Import", exact: true }).click();
    await page.getByText(/1 voucher\(s\) imported successfully/).waitFor();
    assert.equal((await shop.api<Voucher>("/v1/vouchers/PAPER-1")).active, true);
  });

  await t.test("a segment counts its customers while it is typed", async () => {
    await open("/segments/new");
    await page.getByLabel("Name").fill("Spenders");
    await page.getByRole("button", { name: "Add a condition" }).click();
    const counted = page.getByRole("heading", { name: / customers? today$/ });
    const everybody = (await counted.textContent())!;
    await page.getByLabel("Value").fill("1000");
    await page.getByText(everybody, { exact: true }).waitFor({ state: "detached" });
    const [said] = (await counted.textContent())!.split(" ");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Spent in all is more than").waitFor();
    const { data } = await shop.api<{ data: { id: string; name: string }[] }>("/v1/segments?limit=100");
    const { id } = data.find(({ name }) => name === "Spenders")!;
    const { count } = await shop.api<{ count: number }>(`/v1/segments/${id}/size`);
    assert.ok(count > 0);
    assert.equal(Number(said), count);
  });

  await t.test("a collection shows its products while its filter is typed", async () => {
    await open("/collections/new");
    await page.getByLabel("Name").fill("Tees");
    await page.getByRole("button", { name: "Add a condition" }).click();
    const counted = page.getByRole("heading", { name: / products? today$/ });
    const everything = (await counted.textContent())!;
    await page.getByPlaceholder("Value, then Enter").fill("T-shirt");
    await page.keyboard.press("Enter");
    await page.getByText(everything, { exact: true }).waitFor({ state: "detached" });
    await page.getByRole("listitem").filter({ hasText: "T-shirt" }).first().waitFor();
    const shown = (await counted.textContent())!;
    assert.deepEqual(await faultsOf(page), []);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "Tees" }).waitFor();
    const { data } = await shop.api<{ data: { id: string; name: string }[] }>("/v1/product-collections?limit=100");
    const { id } = data.find(({ name }) => name === "Tees")!;
    const { total } = await shop.api<{ total: number }>(`/v1/product-collections/${id}/products`);
    assert.equal(Number.parseInt(shown, 10), total);
  });

  await t.test("who is in a program is seen with balance, tier and everything that moved points", async () => {
    const { id } = await shop.api<Customer>("/v1/customers/alice");
    type Held = { memberships: { program: { id: string }; member: { id: string }; cards: { card: Card }[] }[] };
    type Card = { id: string; balance: { points: number; pending_points: number } };
    const [held] = (await shop.api<Held>(`/v2/loyalties/memberships/${id}`)).memberships;
    const [{ card }] = held!.cards as [{ card: Card }];
    const member = `/loyalty/${held!.program.id}/members/${held!.member.id}`;
    type Tiers = { cards: { tier_progress?: { current: { tier: { name: string } } } }[] };
    const tiers = await shop.api<Tiers>(`/v2/loyalties/programs/${held!.program.id}/memberships/${id}`);
    const tier = tiers.cards[0]!.tier_progress!.current.tier.name;
    await open(`/customers/${id}`);
    const sum = page.locator("dl > div").filter({ hasText: "Laurel club · Points" });
    await sum.getByText(card.balance.points.toLocaleString("en-GB"), { exact: true }).waitFor();
    await sum.getByText(`Tier ${tier}`).waitFor();
    await page
      .getByRole("listitem")
      .filter({ hasText: /^Earned · Laurel club · Points\+90 points$/ })
      .first()
      .waitFor();
    await page.getByText(`Moved up a tier: ${tier}`).first().waitFor();
    const kinds = page.getByRole("radiogroup", { name: "Timeline" });
    await kinds.getByText("Orders", { exact: true }).click();
    await page
      .getByText(/^Earned ·/)
      .first()
      .waitFor({ state: "detached" });
    await kinds.getByText("Points", { exact: true }).click();
    await page
      .getByText(/^Earned ·/)
      .first()
      .waitFor();
    assert.equal(await page.getByText("Paid the order").count(), 0);
    assert.deepEqual(await faultsOf(page), []);
    assert.equal(
      await page.getByRole("link", { name: "Laurel club", exact: true }).last().getAttribute("href"),
      `/loyalty/${held!.program.id}`,
    );
    await page.getByRole("link", { name: "All lots and entries of the ledger" }).click();
    await page.waitForURL(`**${member}`);
  });

  await t.test("what is known of somebody is saved as one file", async () => {
    const { id, email } = await shop.api<Customer>("/v1/customers/guest-34");
    await open(`/customers/${id}`);
    await page.getByRole("button", { name: "More" }).click();
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("menuitem", { name: "Export everything known" }).click(),
    ]);
    assert.equal(file.suggestedFilename(), "guest-34.json");
    const saved = JSON.parse(fs.readFileSync(await file.path(), "utf8"));
    assert.deepEqual([saved.customer.id, saved.customer.email], [id, email]);
    type Listed = { total: number };
    const filter = `filters[customer_id][conditions][$is][0]=${id}`;
    assert.equal(saved.orders.length, (await shop.api<Listed>(`/v1/orders?limit=1&${filter}`)).total);
    assert.ok(saved.activities.length > 0 && saved.wallet.length > 0);
    const alice = await shop.api<Customer>("/v1/customers/alice");
    await open(`/customers/${alice.id}`);
    await page.getByRole("button", { name: "More" }).click();
    const [second] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("menuitem", { name: "Export everything known" }).click(),
    ]);
    const { ledger } = JSON.parse(fs.readFileSync(await second.path(), "utf8"));
    assert.ok(ledger.programs.points.length > 10 && ledger.programs.tiers.length > 0);
  });

  await t.test("erasing asks for the address, and says what stays", async () => {
    const { id, email } = await shop.api<Customer>("/v1/customers/guest-30");
    await open(`/customers/${id}`);
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Erase…" }).click();
    await page.getByText("because limits and budgets count them").waitFor();
    await page.getByRole("button", { name: /for good/ }).click();
    assert.equal((await shop.api<Customer>("/v1/customers/guest-30")).id, id);
    await page.getByLabel(`Type ${email} to confirm`).fill(email);
    await page.getByRole("button", { name: /for good/ }).click();
    await page.waitForURL("**/customers");
    assert.equal((await shop.api<{ key?: string }>("/v1/customers/guest-30")).key, "not_found");
  });
  assert.deepEqual(complaints, []);
}
