import assert from "node:assert/strict";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { headersIn, serve, tempDir } from "../../../test/support/child.ts";
import { faultsOf, type Shop } from "../browser.ts";
import { startFaults } from "../faults.ts";

const PASSWORD = "four words that stay";

/** A server with a database of its own, as `npm start` makes it, but empty; and an address that outlives the server. */
async function startEmpty() {
  const proxy = await startFaults(() => server.url);
  const LAUREL_DATA_DIR = tempDir();
  const shown = { LAUREL_DEMO: "off", LAUREL_DASHBOARD: "on", LAUREL_PUBLIC_URL: proxy.url };
  const env = { LAUREL_DATA_DIR, ...shown };
  const start = () => serve(env);
  let server = await start();
  const headers = headersIn(join(LAUREL_DATA_DIR, "credentials", "app.headers"));
  return {
    ...proxy,
    link: /^Sign in once: +(\S+)/m.exec(server.seen.stdout)![1]!,
    kill: () => server.stop("SIGKILL"),
    start: async () => {
      server = await start();
    },
    stop: () => {
      proxy.close();
      return server.stop();
    },
    /** What the till sends, and nothing else: all that a person does, is done in the page. */
    redeem: async (code: string, amount: number): Promise<number> => {
      const body = JSON.stringify({ redeemables: [{ object: "voucher", id: code }], order: { amount } });
      const init = { method: "POST", headers: { "content-type": "application/json", ...headers }, body };
      return (await fetch(`${server.url}/v1/redemptions`, init)).status;
    },
  };
}

/** Somebody who has nothing but the link that the first start prints. */
export async function newcomer(t: TestContext, shop: Shop): Promise<void> {
  const own = await startEmpty();
  t.after(own.stop);
  const { page, complaints, close } = await shop.open();
  const tab = (name: string) => page.getByRole("tab", { name, exact: true }).click();
  /** Which of two texts comes: whether it is the first. */
  const isThere = async (text: string, other: string): Promise<boolean> => {
    await page
      .getByText(new RegExp(`${text}|${other}`))
      .first()
      .waitFor();
    return (await page.getByText(text).count()) > 0;
  };
  const goTo = (name: string) => page.getByRole("navigation").getByRole("link", { name, exact: true }).click();

  await t.test("the link that the server prints leads to a password, and to an empty shop", async () => {
    await page.goto(own.link);
    await page.getByLabel("First name").fill("Eve");
    await page.getByLabel("Last name").fill("Newcomer");
    await page.getByLabel("Password", { exact: false }).first().fill(PASSWORD);
    await page.getByRole("button", { name: "Accept the invitation" }).click();
    await page.getByText("Welcome, Eve").waitFor();
    const email = (await page.locator("#login").textContent())!;
    await page.getByRole("link", { name: "Sign in" }).click();
    await page.getByLabel("E-mail").fill(email);
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("Good to see you, Eve.").waitFor();
    await page.getByText("Nothing was redeemed in this period.").waitFor();
    assert.deepEqual(await faultsOf(page), []);
  });

  await t.test("a first campaign is tried on a cart before it is there", async () => {
    await goTo("Campaigns");
    await page.getByText("There are no campaigns yet.").waitFor();
    await page.getByRole("link", { name: "New campaign" }).first().click();
    await page.getByRole("link", { name: "Begin with nothing" }).click();
    await page.getByLabel("Name").fill("First");
    await tab("Offer");
    await page.getByLabel("Percent off").fill("10");
    await tab("Who and when");
    await page.getByLabel("Only orders of at least").fill("50");
    await tab("Codes");
    await page.getByLabel("One code for everybody").check();
    await page.getByRole("textbox", { name: /^Code/ }).fill("FIRST10");
    await tab("Check");
    await page.getByText("applies", { exact: true }).waitFor();
    await page.getByText("90.00", { exact: true }).waitFor();
  });

  await t.test(
    "the server is killed: the page says so, keeps what was typed, recovers, and the form is saved",
    async () => {
      const { code, stdout } = await own.kill();
      assert.equal(code, null, stdout);
      const amount = page.getByLabel("Amount of the order");
      await amount.fill("40");
      await page.getByText("The server does not answer. What you see is from").waitFor();
      assert.equal(await amount.inputValue(), "40");
      await page.getByText("10% off", { exact: false }).first().waitFor();
      await own.start();
      await page.getByText("The server does not answer. What you see is from").waitFor({ state: "detached" });
      // The cart that nobody answered is asked about again, without a click.
      await page.getByText("does not apply", { exact: true }).waitFor();
      assert.equal(await amount.inputValue(), "40");
      await tab("Codes");
      assert.equal(await page.getByRole("textbox", { name: /^Code/ }).inputValue(), "FIRST10");
      await page.getByRole("button", { name: "Create campaign" }).click();
      await page.waitForURL(/\/campaigns\/camp_\w+$/);
      await page.getByRole("heading", { level: 1, name: "First" }).waitFor();
    },
  );

  await t.test("a redemption of the till is in the list, and is undone there", async () => {
    assert.equal(await own.redeem("FIRST10", 10_000), 200);
    assert.equal(await own.redeem("FIRST10", 4_000), 400);
    await goTo("Redemptions");
    const done = page.getByRole("row").filter({ hasText: "FIRST10" });
    await done.filter({ hasText: "10.00" }).first().waitFor();
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await page.route(/\/receipt$/, (route) => held.then(() => route.continue()));
    await done.filter({ hasText: "Succeeded" }).getByRole("link").first().click();
    const ask = page.getByRole("button", { name: "Roll back…" });
    await ask.waitFor();
    assert.equal(await ask.isEnabled(), false, "it has no numbers to say yet");
    release();
    await ask.click();
    await page.getByText("1 use of FIRST10").waitFor();
    await page.getByRole("dialog").getByText("10.00", { exact: false }).waitFor();
    await page.getByLabel("Reason").fill("sent back");
    await page.getByRole("button", { name: "Roll back 1 redemption" }).click();
    await page.getByText("Rolled back on").first().waitFor();
  });

  await t.test("why a code failed is found by the code", async () => {
    await goTo("Why did it not work?");
    await page.getByLabel("Code, customer, e-mail, order, redemption or request id").fill("FIRST10");
    await page.getByRole("button", { name: "Look" }).click();
    // Refusals are written behind the answer.
    while (!(await isThere("10.00 short", "Nothing was refused here"))) await page.reload();
    assert.deepEqual(complaints, []);
  });
  await close();
}
