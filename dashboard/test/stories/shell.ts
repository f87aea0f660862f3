import assert from "node:assert/strict";
import fs from "node:fs";
import type { TestContext } from "node:test";
import { eventually } from "../../../test/support/child.ts";
import { CAREFUL, faultsOf, fillIn, OWNER, type Shop } from "../browser.ts";

/** Signing in, lists, keys, undo, rollback, and what happens when something ends. */
export async function shell(t: TestContext, shop: Shop): Promise<void> {
  await t.test("wrong passwords are told; a second factor is asked for, and only where there is one", async () => {
    const code = await shop.secondFactor();
    const { page, complaints, close } = await shop.open();
    await page.goto(`${shop.url}/campaigns?campaign_type=PROMOTION`);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("Fill in this field.").first().waitFor();
    await fillIn(page, { ...CAREFUL, password: "wrong" });
    await page.getByText("E-mail or password is wrong.").waitFor();
    assert.deepEqual(await faultsOf(page), []);
    await fillIn(page, CAREFUL);
    await page.getByLabel("Code from your authenticator app").fill("000000");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("This code is wrong").waitFor();
    await page.getByLabel("Code from your authenticator app").fill(code());
    await page.getByRole("button", { name: "Sign in" }).click();
    // The page that was asked for, with its filter.
    await page.getByRole("heading", { level: 1, name: "Campaigns" }).waitFor();
    await page.getByText("Spend and save").waitFor();
    assert.equal(await page.getByText("Bring a friend").count(), 0);
    assert.deepEqual(complaints, []);
    await close();
  });

  await t.test("filters are in the address, and back brings them back", async () => {
    const { page, close } = await shop.signIn();
    await page.goto(shop.url);
    await page.getByRole("navigation").getByRole("link", { name: "Campaigns" }).click();
    await page.getByText("Bring a friend").waitFor();
    await page.getByRole("combobox", { name: "Kind" }).click();
    await page.getByRole("option", { name: "Promotion" }).click();
    await page.waitForURL(/campaign_type=PROMOTION/);
    await page.getByText("Bring a friend").waitFor({ state: "detached" });
    await page.getByRole("navigation").getByRole("link", { name: "Home" }).click();
    await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    await page.goBack();
    await page.waitForURL(/campaign_type=PROMOTION/);
    await page.getByText("Spend and save").waitFor();
    assert.equal(await page.getByText("Bring a friend").count(), 0);
    await close();
  });

  await t.test("columns that were chosen are still chosen after a reload, here and in the exported file", async () => {
    const { page, complaints, close } = await shop.signIn();
    await page.goto(`${shop.url}/campaigns`);
    const heading = (name: string) => page.getByRole("columnheader", { name, exact: true });
    await heading("Kind").waitFor();
    await page.getByRole("button", { name: "Columns" }).click();
    await page.getByRole("menuitemcheckbox", { name: "Kind" }).click();
    await heading("Kind").waitFor({ state: "detached" });
    await page.getByRole("menuitemcheckbox", { name: "Compact rows" }).click();
    assert.equal(await page.getByRole("menuitemcheckbox", { name: "Kind", checked: false }).count(), 1);
    // Closed by the key, the menu gives the focus back to its button.
    await page.keyboard.press("Escape");
    await page.getByRole("menu").waitFor({ state: "detached" });
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("aria-label")), "Columns");
    await page.reload();
    await heading("Status").waitFor();
    assert.equal(await heading("Kind").count(), 0);
    assert.equal(await page.locator("table[data-compact]").count(), 1);
    assert.deepEqual(await faultsOf(page), []);
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Export", exact: true }).click(),
    ]);
    const [heads] = fs.readFileSync(await file.path(), "utf8").split("\n");
    assert.ok(heads!.includes("Status") && !heads!.includes("Kind"), `${heads}`);
    assert.deepEqual(complaints, []);
    await close();
  });

  await t.test("a list works by keys alone", async () => {
    const { page, close } = await shop.signIn();
    await page.goto(`${shop.url}/redemptions`);
    await page.getByRole("row").nth(1).waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    const opened = await page.evaluate(() => document.activeElement?.closest("[data-row]")?.getAttribute("data-row"));
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/redemptions/${opened}`);
    await page.goBack();
    await page.keyboard.press("/");
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("type")), "search");
    // Letters are letters while somebody types.
    await page.keyboard.type("jk");
    assert.equal(await page.getByRole("searchbox").inputValue(), "jk");
    await page.getByText("Nothing matches these filters").waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.getByRole("row").nth(1).waitFor();
    await close();
  });

  await t.test("a click finds the code of a page there, and rows wait for no figures", async () => {
    const { page, close } = await shop.signIn(OWNER, { savesData: false });
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url().slice(shop.url.length)));
    const held: (() => Promise<void>)[] = [];
    await page.route(/expand=counters.*limit=25|limit=25.*expand=counters|redemptions\/totals/, (route) => {
      held.push(() => route.continue());
    });
    await page.goto(shop.url);
    await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    await page.waitForFunction(() => performance.getEntriesByName("pages loaded").length > 0);
    const release = () => Promise.all(held.splice(0).map((go) => go()));
    // One list was drawn where nobody sees it: its rows are there, and the click finds code that has run.
    const DRAWN = "/v1/campaigns?limit=25";
    assert.deepEqual(
      asked.filter((one) => one === DRAWN),
      [DRAWN],
    );
    assert.equal(await page.getByRole("heading", { name: "Campaigns", exact: true, level: 1 }).count(), 0);
    for (const [path, row] of [
      ["/campaigns", /Newsletter/],
      ["/redemptions", /NEWS10/],
    ] as const) {
      asked.length = 0;
      // As a click does, without a pointer that came near before.
      await page.locator(`nav a[href="${path}"]`).dispatchEvent("click");
      await page.getByRole("row", { name: row }).first().waitFor();
      const ofList = asked.filter((one) => one.startsWith(`/v1${path}`));
      const [rows, figures, ...more] = path === "/campaigns" ? [DRAWN, ...ofList] : ofList;
      assert.doesNotMatch(rows!, /counters|totals/);
      assert.match(figures ?? "counters, which are asked for next", /counters|totals/);
      assert.deepEqual(more, []);
      assert.deepEqual(
        asked.filter((one) => one.endsWith(".js")),
        [],
        "its code was there",
      );
      await eventually(() => held.length > 0, "the figures are asked for");
      await release();
    }
    await page.getByRole("region", { name: "Sums of these redemptions" }).waitFor();

    // Where the pointer rests on a link, its rows are asked for before the click, and not again by the page.
    asked.length = 0;
    const customers = page.locator('nav a[href="/customers"]');
    const ofCustomers = () => asked.filter((one) => one.startsWith("/v1/customers"));
    await customers.hover();
    await eventually(() => ofCustomers().length === 1, "the rows are asked for");
    assert.equal(new URL(page.url()).pathname, "/redemptions");
    await customers.click();
    await page.getByRole("heading", { level: 1, name: "Customers" }).waitFor();
    await page.getByRole("row").nth(1).waitFor();
    assert.equal(ofCustomers().length, 1, "the page asks for nothing again");
    await close();
  });

  await t.test("Ctrl-K opens every page", async () => {
    const { page, close } = await shop.signIn();
    await page.goto(shop.url);
    // Home says what sells and what ends, and each figure leads to the rows that it counts.
    await page.getByRole("heading", { name: "Top campaigns" }).waitFor();
    await page.getByRole("heading", { name: "Ending soon" }).waitFor();
    await page.getByRole("main").getByRole("link", { name: "Newsletter" }).first().waitFor();
    // Nothing that is typed before the palette is there is lost, or taken for a key of the page.
    await page.keyboard.press("Control+k");
    await page.keyboard.type("redem");
    const palette = page.getByPlaceholder("Pages, campaigns");
    await eventually(async () => (await palette.count()) === 1 && (await palette.inputValue()) === "redem");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Redemptions" }).waitFor();
    // On a list without a row that has the focus there is nothing to edit.
    await page.keyboard.press("e");
    await page.getByRole("heading", { level: 1, name: "Redemptions" }).waitFor();
    // What only the server finds is opened by Enter, too.
    await page.keyboard.press("Control+k");
    await page.getByPlaceholder("Pages, campaigns").fill("guest-34");
    await page.getByRole("dialog").getByText("Customer").first().waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/customers/cust_*");
    await page.goto(`${shop.url}/redemptions`);
    // Every page as a call: for a terminal, and for a program.
    await page.getByRole("button", { name: "Show as API call" }).click();
    const call = page.getByRole("dialog");
    await call.getByText("curl -H @data/credentials/app.headers").waitFor();
    await call.getByText("TypeScript").click();
    await call.getByText("await fetch(").waitFor();
    await close();
  });

  await t.test("nothing is cut: lists beside the navigation, and the name of the project on a telephone", async () => {
    const small = await shop.signIn(OWNER, { width: 1280 });
    const hidden = (selector: string) =>
      small.page
        .locator(selector)
        .evaluateAll((all) => all.map((one) => Math.max(0, one.scrollWidth - one.clientWidth)));
    for (const path of ["/campaigns", "/stacking", "/redemptions"]) {
      await small.page.goto(shop.url + path);
      await small.page.getByRole("table").first().waitFor();
      await small.settle();
      const cut = await hidden("[class*=scroll]:has(> table)");
      assert.ok(cut.length > 0, path);
      assert.deepEqual(new Set(cut), new Set([0]), path);
    }
    await small.page.setViewportSize({ width: 380, height: 800 });
    assert.deepEqual(await hidden("header button[aria-label^=Project] .mantine-Button-label"), [0]);
    await small.close();
  });

  await t.test("campaigns are switched off together, and on again by one button", async () => {
    const { page, close } = await shop.signIn();
    const isActive = async () => {
      const { campaigns } = await shop.api<{ campaigns: { name: string; active: boolean }[] }>(
        "/v1/campaigns?limit=100",
      );
      return campaigns.find(({ name }) => name === "Radio spot")!.active;
    };
    await page.goto(`${shop.url}/campaigns`);
    await page.getByRole("row", { name: "Radio spot" }).getByRole("checkbox").check();
    await page.getByRole("button", { name: "Disable" }).click();
    await page.getByText("1 campaign disabled").waitFor();
    assert.equal(await isActive(), false);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Undone").waitFor();
    assert.equal(await isActive(), true);
    await close();
  });

  await t.test("a redemption is replayed and rolled back, after the page has said what that gives back", async () => {
    const { page, complaints, close } = await shop.signIn();
    const { redemptions } = await shop.api<{ redemptions: { id: string; related_object_type: string }[] }>(
      "/v1/redemptions?limit=100",
    );
    const { id } = redemptions.find((one) => one.related_object_type === "redemption")!;
    await page.goto(`${shop.url}/redemptions/${id}`);
    await page.getByText("52.00").waitFor();
    await page.getByRole("button", { name: "Replay" }).click();
    await page.getByText("Same to the byte").waitFor();
    await page.getByRole("button", { name: "Roll back…" }).click();
    await page.getByText("1 use of SUMMER5").waitFor();
    assert.deepEqual(await faultsOf(page), []);
    await page.getByLabel("Reason").fill("sent back");
    await page.getByRole("button", { name: "Roll back 2 redemptions" }).click();
    await page.getByText("Rolled back on").first().waitFor();
    await page.getByText("sent back").first().waitFor();
    const { user } = await shop.api<{ user: { first_name: string } }>("/management/v1/session");
    await page.getByRole("alert").getByText(user.first_name).first().waitFor();
    const after = await shop.api<{ status: string }>(`/v1/redemptions/${id}`);
    assert.equal(after.status, "ROLLED_BACK");
    assert.deepEqual(complaints, []);
    await close();
  });

  await t.test("a session that ends is renewed over the page, and the request goes on", async () => {
    const { page, close } = await shop.signIn();
    await page.goto(`${shop.url}/campaigns`);
    await page.getByText("Bring a friend").waitFor();
    await shop.endSessions();
    await page.getByRole("navigation").getByRole("link", { name: "Redemptions" }).click();
    await page.getByText("Your session has ended").waitFor();
    await fillIn(page, OWNER);
    await page.getByText("Your session has ended").waitFor({ state: "detached" });
    await page.getByRole("row").nth(1).waitFor();
    await close();
  });

  await t.test(
    "a server that does not answer is told, what was read stays, and the page recovers by itself",
    async () => {
      const { page, close } = await shop.signIn();
      await page.goto(`${shop.url}/campaigns`);
      await page.getByText("Bring a friend").waitFor();
      shop.faults.set(/^\/(?:v1|health)/, "hang up");
      await page.getByRole("row", { name: "Radio spot" }).getByRole("checkbox").check();
      await page.getByRole("navigation").getByRole("link", { name: "Redemptions" }).click();
      // The header asks too, so the message may stand there before the page has changed.
      await page.waitForURL(/\/redemptions/);
      await page.getByText("The server does not answer.").waitFor();
      // The bar may be there before the page is.
      await page.getByRole("heading", { level: 1, name: "Redemptions" }).waitFor();
      await page.goBack();
      await page.getByText("Bring a friend").waitFor();
      shop.faults.clear();
      await page.getByText("The server does not answer.").waitFor({ state: "detached" });
      await page.goForward();
      await page.getByRole("row").nth(1).waitFor();
      await close();
    },
  );

  await t.test("German is complete on the page, and signing out leaves nothing behind", async () => {
    const { page, close } = await shop.signIn();
    await page.goto(shop.url);
    await page.getByRole("button", { name: "Your account" }).click();
    await page.getByRole("menuitem", { name: "Deutsch" }).click();
    await page.getByRole("heading", { level: 1, name: "Start" }).waitFor();
    await page.goto(`${shop.url}/settings/roles/ADMIN`);
    await page.getByText("Alles in einem Projekt, auch die Einstellungen").waitFor();
    await page.goto(`${shop.url}/campaigns/camp_none`);
    await page.getByText("Das gibt es nicht (mehr). Der Server meldet:").waitFor();
    await page.goto(`${shop.url}/invitation#token=none`);
    await page.getByText("Dieser Link gilt nicht").waitFor();
    await page.goto(shop.url);
    await page.evaluate(() => localStorage.setItem("laurel-draft:x", "{}"));
    await page.getByRole("button", { name: "Ihr Konto" }).click();
    await page.getByRole("menuitem", { name: "Abmelden" }).click();
    await page.getByRole("heading", { name: "Bei Laurel anmelden" }).waitFor();
    assert.equal(await page.evaluate(() => localStorage.getItem("laurel-draft:x")), null);
    await page.reload();
    await page.getByRole("heading", { name: "Bei Laurel anmelden" }).waitFor();
    await close();
  });
}
