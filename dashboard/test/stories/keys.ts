import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { faultsOf, type Shop } from "../browser.ts";

/** Far more than any page has. */
const STOPS_MAX = 300;

/** Somebody who has no mouse. What a pointer does is counted, and there must be none of it. */
export async function keys(t: TestContext, shop: Shop): Promise<void> {
  const { page, complaints, close } = await shop.signIn();
  await page.addInitScript(() => {
    let count = 0;
    for (const type of ["pointerdown", "mousedown"])
      addEventListener(type, () => (document.documentElement.dataset.pointed = String(++count)), true);
  });
  const { keyboard } = page;
  const pointed = () => page.evaluate(() => document.documentElement.dataset.pointed ?? "never");
  /** What has the focus, as it is called. */
  const focused = () =>
    page.evaluate(() => {
      const one = document.activeElement as HTMLInputElement | null;
      const name = one?.getAttribute("aria-label") ?? one?.labels?.[0]?.textContent ?? one?.textContent;
      return (name ?? "").replace(/\s*\*$/, "").trim();
    });
  /** Goes on with Tab until something has the focus. */
  const reach = async (name: string): Promise<void> => {
    for (let stops = 0; stops < STOPS_MAX; stops += 1) {
      await keyboard.press("Tab");
      if ((await focused()) === name) return;
    }
    assert.fail(`Tab does not reach “${name}”`);
  };
  const heading = (name: string | RegExp) => page.getByRole("heading", { level: 1, name }).waitFor();

  await t.test("a discount campaign is created with keys alone", async () => {
    await page.goto(`${shop.url}/campaigns`);
    await page.getByRole("row").nth(1).waitFor();
    await keyboard.press("c");
    await heading("New campaign");
    await page.getByRole("link", { name: "Begin with nothing" }).waitFor();
    await reach("Begin with nothing");
    await keyboard.press("Enter");
    await page.getByRole("tab", { name: "Kind" }).waitFor();
    await reach("Name");
    await keyboard.type("By keys alone");
    await reach("Kind");
    await keyboard.press("ArrowRight");
    await page.getByLabel("Percent off").waitFor();
    await reach("Percent off");
    await keyboard.type("7");
    await reach("Create campaign");
    await keyboard.press("Enter");
    await heading("By keys alone");
    type Made = { campaigns: { voucher: { discount: { percent_off: number } } }[] };
    const { campaigns } = await shop.api<Made>("/v1/campaigns?name=By%20keys%20alone");
    assert.equal(campaigns[0]!.voucher.discount.percent_off, 7);
    assert.equal(await pointed(), "never");
  });

  await t.test("a refusal is explained and a redemption rolled back, with keys alone", async () => {
    const discount = { type: "PERCENT", percent_off: 10 };
    const redemption = { quantity: 1 };
    await shop.write("/v1/vouchers", { type: "DISCOUNT_VOUCHER", code: "KEYS-ONCE", discount, redemption });
    const order = { amount: 5000 };
    const redeemables = [{ object: "voucher", id: "KEYS-ONCE" }];
    await shop.write("/v1/redemptions", { redeemables, order });
    await assert.rejects(shop.write("/v1/redemptions", { redeemables, order }), /quantity/);
    await keyboard.press("Control+k");
    await page.getByPlaceholder("Pages, campaigns").waitFor();
    await keyboard.type("why did");
    await page.getByRole("dialog").getByText("Why did it not work?").first().waitFor();
    await keyboard.press("Enter");
    await heading("Why did it not work?");
    await keyboard.press("/");
    await keyboard.type("KEYS-ONCE");
    await keyboard.press("Enter");
    await page.getByText("The code is used up").first().waitFor();
    await reach("Redemptions");
    await keyboard.press("Enter");
    await heading("Redemptions");
    await page.getByRole("row").filter({ hasText: "KEYS-ONCE" }).nth(1).waitFor();
    // The newest row is the one that failed.
    for (const key of ["j", "j", "Enter"]) await keyboard.press(key);
    await heading("KEYS-ONCE");
    await page.getByRole("button", { name: "Roll back…" }).waitFor();
    await reach("Roll back…");
    await keyboard.press("Enter");
    await page.getByText("1 use of KEYS-ONCE").waitFor();
    await page.waitForFunction(() => document.activeElement?.tagName === "INPUT");
    await keyboard.type("sent back");
    await reach("Roll back 1 redemption");
    await keyboard.press("Enter");
    await page.getByText("Rolled back on").first().waitFor();
    await page.getByText("sent back").first().waitFor();
    assert.deepEqual(await faultsOf(page), []);
    assert.equal(await pointed(), "never");
    await shop.write("/v1/redemptions", { redeemables, order });
  });

  assert.deepEqual(complaints, []);
  await close();
}
