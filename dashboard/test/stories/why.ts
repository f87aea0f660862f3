import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { faultsOf, type Shop } from "../browser.ts";

/** Support explains a refusal, and tries the cart that would have worked. */
export async function why(t: TestContext, shop: Shop): Promise<void> {
  const { page, complaints, close } = await shop.signIn();
  const { products } = await shop.api<{ products: { id: string; name: string }[] }>("/v1/products?limit=20");
  const shirt = products.find(({ name }) => name === "T-shirt")!.id;

  await t.test("a cart that is too small is refused, and the simulator says why", async () => {
    await page.goto(`${shop.url}/simulator?item=${shirt}*2&as=alice&code=FREESHIP`);
    await page.getByText("10.00 short").waitFor();
    await page.getByText("does not apply").waitFor();
    assert.deepEqual(await faultsOf(page), []);
  });

  await t.test("what was refused before anybody looked is found, by code and by the failed redemption", async () => {
    await page.goto(`${shop.url}/why?q=FLASH20`);
    await page.getByText(/refusals? in 30 days/).waitFor();
    // The list says which limit it was, before one is opened.
    await page
      .getByRole("button", { name: /Budget of the campaign: \$/ })
      .first()
      .waitFor();
    type Failed = { redemptions: { id: string }[] };
    const { redemptions } = await shop.api<Failed>("/v1/redemptions?result=FAILURE&limit=1");
    assert.match(redemptions[0]!.id, /^rf_/);
    await page.goto(`${shop.url}/why?q=${redemptions[0]!.id}`);
    // It stands in the answer that was sent, which is folded.
    await page.getByText(redemptions[0]!.id).first().waitFor({ state: "attached" });
    assert.equal(await page.getByText("There is nothing called").count(), 0);
    assert.deepEqual(await faultsOf(page), []);
  });

  await t.test("where nothing is found, it says how many refusals were counted only", async () => {
    const discount = { type: "AMOUNT", amount_off: 100 };
    await shop.write("/v1/vouchers", { type: "DISCOUNT_VOUCHER", code: "CALM-STORY", discount });
    // More than a thousand in a minute take a test too long: the answer of the server is the one of a busy shop.
    await page.route("**/v1/refusals/summary**", async (route) => {
      const reply = await route.fetch();
      await route.fulfill({ response: reply, json: { ...(await reply.json()), count: 4200, not_kept: 1200 } });
    });
    for (const q of ["CALM-STORY", "NOBODY-KNOWS-THIS"]) {
      await page.goto(`${shop.url}/why?q=${q}`);
      await page.getByText("Refused 4,200 times").waitFor();
      await page.getByText("1,200 of them were counted only: too many came at once to keep each.").waitFor();
      assert.deepEqual(await faultsOf(page), []);
    }
    await page.unroute("**/v1/refusals/summary**");
    // Where none was, nothing is said.
    await page.reload();
    await page.getByText("There is nothing called").waitFor();
    assert.equal(await page.getByText("were counted only").count(), 0);
  });

  await t.test("the page of a failed redemption says why in words, works nothing out, and leads to Why", async () => {
    type Failed = { redemptions: { id: string; failure_code: string; voucher: { code: string } }[] };
    const { redemptions } = await shop.api<Failed>("/v1/redemptions?result=FAILURE&limit=100");
    const { id, failure_code } = redemptions.find((one) => one.failure_code === "redemption_rules_violated")!;
    await page.goto(`${shop.url}/redemptions/${id}`);
    await page.getByText("This code cannot be used (again) now.").waitFor();
    const slip = page.getByRole("region", { name: "Till slip" });
    await slip.getByText("not redeemed").first().waitFor();
    assert.doesNotMatch((await slip.textContent())!, /%|\u2212| off /);
    assert.equal(await page.getByText(failure_code).count(), 0);
    await slip
      .getByRole("button", { name: /^How .* was worked out$/ })
      .first()
      .click();
    await page.getByRole("dialog").getByText("is switched on").waitFor();
    assert.equal(await page.getByText("seen: true").count(), 0);
    assert.deepEqual(await faultsOf(page), []);
    await page.getByRole("link", { name: "Why?", exact: true }).click();
    await page.waitForURL(`**/why?q=${id}`);
  });

  await t.test("whoever answers the telephone finds it by the code, and reads what to say", async () => {
    await page.goto(`${shop.url}/why`);
    await page.getByLabel("Code, customer, e-mail, order, redemption or request id").fill("FREESHIP");
    // Refusals are written behind the answer.
    await assert.doesNotReject(async () => {
      for (let tries = 0; ; tries += 1) {
        await page.getByRole("button", { name: "Look" }).click();
        await page.getByText(/refusals? in 30 days|Nothing was refused here/).waitFor();
        if ((await page.getByText("Refused by the rule").count()) > 0) return;
        if (tries > 20) throw new Error("the refusal was not written");
        await page.reload();
      }
    });
    await page.getByText("it was 40.00").first().waitFor();
    await page.getByText("10.00 short").first().waitFor();
    await page.getByText(/Free shipping starts at 50.00\. .*10.00 more is needed\./).waitFor();
    await page.getByRole("button", { name: "Ask again now" }).click();
    await page.getByText("It is still refused.").waitFor();
    assert.deepEqual(await faultsOf(page), []);
  });

  await t.test("the cart of the refusal opens in the simulator, and with one shirt more the code applies", async () => {
    await page.getByRole("link", { name: "Open in the simulator" }).click();
    await page.getByRole("heading", { level: 1, name: "Simulator" }).waitFor();
    await page.getByLabel("Quantity of T-shirt").fill("3");
    await page.waitForURL(/\*3/);
    await page.getByText("does not apply").waitFor({ state: "detached" });
    await page.getByText("To pay").waitFor();
  });

  await t.test("saving a rule that nobody changed changes nothing; a changed one is saved, and asked", async () => {
    type Rule = { id: string; name: string; rules: object; applicable_to: object; updated_at?: string };
    const { data } = await shop.api<{ data: Rule[] }>("/v1/validation-rules?limit=50");
    const before = data.find(({ name }) => name === "Free shipping from 50")!;
    const read = () => shop.api<Rule>(`/v1/validation-rules/${before.id}`);
    await page.goto(`${shop.url}/rules/${before.id}?item=${shirt}*2&code=FREESHIP`);
    await page.getByText("10.00 short").first().waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved").first().waitFor();
    assert.deepEqual((await read()).rules, before.rules);
    await page.getByLabel("Value for Amount of these lines").fill("40");
    await page.getByText("does not apply").waitFor({ state: "detached" });
    // The cart is asked while somebody types, so it tells nothing about the save. The answer to the save does.
    const saved = page.waitForResponse((one) => one.request().method() === "PUT" && one.url().includes(before.id));
    await page.getByRole("button", { name: "Save" }).click();
    assert.equal((await saved).status(), 200);
    const after = await read();
    assert.match(JSON.stringify(after.rules), /\$more_than_or_equal":\[4000\]/);
    assert.deepEqual(after.applicable_to, before.applicable_to);
    assert.deepEqual(await faultsOf(page), []);
    assert.deepEqual(complaints, []);
  });
  await close();
}
