import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Page } from "playwright-core";
import { eventually } from "../../test/support/child.ts";
import { SCREENS } from "../src/routes/routes.ts";
import { faultsOf, follow, IN_ROLES, openShop, type Shop, skip, VIEWER, type Window } from "./browser.ts";

const MATRIX: Window[] = [
  { width: 1440, scheme: "light" },
  { width: 380, scheme: "dark" },
  { width: 1440, scheme: "dark" },
  { width: 380, scheme: "light" },
];
/** `npm run test:browser` opens everything in every window; else each page has its turn. */
const isAll = process.env.BROWSER_MATRIX === "all";

/** Lists of the navigation, with rows in the demo. */
const LISTS = ["/campaigns", "/redemptions", "/customers", "/codes", "/products", "/requests"];
/** A hand needs at least that long between reaching a link and the click. */
const HAND_MS = 100;
/** Runs in the page: from the click on a link to the first frame with rows. */
async function timeOfRows(path: string): Promise<number> {
  const began = performance.now();
  document.querySelector<HTMLElement>(`nav a[href="${path}"]`)!.click();
  const heading = document.querySelector("main h1")?.textContent;
  const isShown = () =>
    location.pathname === path &&
    document.querySelector("main h1")?.textContent !== heading &&
    document.querySelector("main tbody tr") !== null &&
    document.querySelector("main .mantine-Skeleton-root") === null;
  while (!isShown() && performance.now() - began < 10_000) await new Promise(requestAnimationFrame);
  return performance.now() - began;
}

/** A page, what stands in its answer, and a change by which it is asked again. */
const ASKED_AGAIN: readonly { path: string; shows: RegExp; asks: RegExp; change: (page: Page) => Promise<void> }[] = [
  {
    path: "/redemptions",
    shows: /^All \d+ rows/,
    asks: /redemptions\/totals/,
    change: (page) => follow(page, "/redemptions?result=SUCCESS"),
  },
  {
    path: "/segments/new",
    shows: / customers? today$/,
    asks: /segments\/preview/,
    change: async (page) => {
      await page.getByRole("button", { name: "Add a condition" }).click();
      await page.getByLabel("Value").fill("1000");
    },
  },
  {
    path: "/simulator?code=FREESHIP&item={shirt}*2",
    shows: /short$/,
    asks: /\/v1\/validations/,
    change: (page) => page.getByLabel("Quantity of T-shirt").fill("3"),
  },
];

/** A page with the name of a button that opens a menu there. */
const MENUS: readonly [string, string][] = [
  ["/", "Your account"],
  ["/codes", "Columns"],
  ["/codes", "More"],
];

const PROJECT = "/management/v1/projects/{projectId}";
/** Where the parameters of addresses come from: the first row of a list, which may stand below a parameter before it. */
const FIRST: Record<string, string> = {
  redemptionId: "/v1/redemptions",
  campaignId: "/v1/campaigns",
  campaignTemplateId: "/v1/templates/campaigns",
  customerId: "/v1/customers",
  code: "/v1/vouchers",
  productId: "/v1/products",
  productCollectionId: "/v1/product-collections",
  segmentId: "/v1/segments",
  validationRuleId: "/v1/validation-rules",
  webhookId: `${PROJECT}/webhooks`,
  deliveryId: `${PROJECT}/webhooks/:webhookId/deliveries`,
  requestId: "/v1/request-log",
  schemaId: `${PROJECT}/metadata-schemas`,
  roleId: "/management/v1/roles",
  auditEntryId: "/v1/audit-log",
  asyncActionId: "/v1/async-actions",
  programId: "/v2/loyalties/programs",
  memberId: "/v2/loyalties/programs/:programId/members",
};
/** These are no rows. */
const FIXED: Record<string, string> = { kind: "metadata" };

/** The address of a screen, with ids of the demo shop. */
function addressesOf(shop: Shop) {
  const found = new Map<string, Promise<string>>();
  const look = async (path: string) => {
    const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
    const values = { ...FIXED };
    const fill = (text: string) => text.replace(/:(\w+)/g, (_, name: string) => values[name] ?? `:${name}`);
    for (const name of names.filter((one) => !(one in FIXED))) {
      assert.ok(FIRST[name], `test/screens.test.ts does not know where ${name} comes from`);
      type Listed = { data_ref?: string } & Record<string, { id: string }[]>;
      const answer = await shop.api<Listed>(fill(FIRST[name]));
      // Where there is no row, the page says that there is none.
      values[name] = answer[answer.data_ref ?? "data"]?.[0]?.id ?? "none";
    }
    return fill(path);
  };
  return (path: string) => {
    if (!found.has(path)) found.set(path, look(path));
    return found.get(path)!;
  };
}

const CALL = "Show as API call";

const NO_ACCESS = "You may not see this";
/** Every role sees its navigation, opens its share of the screens (all of them in the whole matrix), and is told what it may not see. */
async function roles(t: TestContext, shop: Shop, addressOf: (path: string) => Promise<string>): Promise<void> {
  const names = Object.keys(IN_ROLES);
  for (const [place, role] of names.entries())
    await t.test(`a person in the role ${role} opens screens and sees only what the role allows`, async () => {
      const { page, complaints, refused, operations, settle, close } = await shop.signIn(IN_ROLES[role]);
      const may = (needs: string | null) => needs === null || operations.has(needs);
      await page.goto(shop.url);
      await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
      const links = await page
        .getByRole("navigation")
        .getByRole("link")
        .evaluateAll((all) => all.map((link) => link.getAttribute("href")));
      const shown = SCREENS.filter(({ nav, needs }) => nav !== null && may(needs)).map(({ path }) => path);
      assert.deepEqual(links.sort(), shown.sort());
      const turn = SCREENS.filter((_, index) => isAll || index % names.length === place);
      for (const { path, needs } of turn) {
        await follow(page, await addressOf(path));
        await settle();
        const main = page.getByRole("main");
        await main.getByRole("heading", { level: 1 }).waitFor();
        // Who may open a page is not told that its own operation is missing; a part of it may well be for others.
        // The page before may still be there, and say it.
        if (may(needs))
          await main
            .getByText(needs ?? NO_ACCESS, { exact: true })
            .first()
            .waitFor({ state: "detached" });
        else {
          await main.getByText(needs!, { exact: true }).first().waitFor();
          await main.getByText(NO_ACCESS).waitFor();
        }
        if (isAll) assert.deepEqual(await faultsOf(page), [], path);
        assert.deepEqual([...complaints, ...refused], [], path);
      }
      await close();
    });
}

test("every page opens without a fault, light and dark, wide and narrow", { skip }, async (t) => {
  const shop = await openShop();
  const addressOf = addressesOf(shop);
  for (const [place, window] of MATRIX.entries()) {
    const { page, complaints, refused, settle, close } = await shop.signIn(undefined, window);
    await page.goto(shop.url);
    await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    const turn = SCREENS.filter((_, index) => isAll || index % MATRIX.length === place);
    for (const { path } of turn)
      await t.test(`${path} ${window.width} ${window.scheme}`, async () => {
        const address = await addressOf(path);
        // The full matrix begins anew with each page, as somebody does who has a link.
        if (isAll) await page.goto(shop.url + address);
        else await follow(page, address);
        await settle();
        const heading = page.getByRole("heading", { level: 1 });
        // That of the page before may still be there, or gone with nothing in its place yet.
        await eventually(async () => (await heading.count()) === 1, "the page has one heading");
        assert.deepEqual(await faultsOf(page), []);
        // Whatever a screen reads or sends, a program can: it says how.
        await page.getByRole("main").getByRole("button", { name: CALL }).first().waitFor();
        assert.deepEqual([...complaints, ...refused], []);
      });
    await close();
  }
  await roles(t, shop, addressOf);

  await t.test("a page says what is wrong: refused, broken, empty", async () => {
    const { page, close } = await shop.signIn();
    const answers = {
      "This could not be read": { status: 500, body: { code: 500, key: "internal_server_error", message: "broken" } },
      "You may not see this": {
        status: 403,
        body: { code: 403, key: "missing_required_permission", details: "campaigns" },
      },
      "There are no campaigns yet.": {
        status: 200,
        body: { object: "list", data_ref: "campaigns", campaigns: [], total: 0 },
      },
    };
    for (const [says, answer] of Object.entries(answers)) {
      shop.faults.clear();
      shop.faults.set(/^\/v1\/campaigns/, answer);
      await page.goto(`${shop.url}/campaigns`);
      await page.getByText(says).waitFor();
      assert.deepEqual(await faultsOf(page), []);
    }
    shop.faults.clear();
    await close();
  });

  await t.test("an older answer can be read while it is asked again", async () => {
    const { products } = await shop.api<{ products: { id: string; name: string }[] }>("/v1/products?limit=20");
    const shirt = products.find(({ name }) => name === "T-shirt")!.id;
    for (const window of [MATRIX[0]!, MATRIX[2]!]) {
      const { page, settle, close } = await shop.signIn(undefined, window);
      for (const { path, shows, asks, change } of ASKED_AGAIN) {
        await page.goto(shop.url + path.replace("{shirt}", shirt));
        await page.getByText(shows).first().waitFor();
        await settle();
        // The next answer never comes.
        await page.route(asks, () => {});
        await change(page);
        const marked = page.locator(".stale");
        await marked.waitFor();
        assert.equal(await marked.evaluate((one) => getComputedStyle(one).outlineStyle), "dashed", path);
        assert.deepEqual(await faultsOf(page), [], `${path} ${window.scheme}`);
        await page.unroute(asks);
      }
      await close();
    }
  });

  await t.test("who may not see a page has no link to it, and is told what is missing", async () => {
    const { page, close } = await shop.signIn(VIEWER);
    await page.goto(shop.url);
    const navigation = page.getByRole("navigation");
    await navigation.getByRole("link", { name: "Campaigns" }).waitFor();
    assert.equal(await navigation.getByRole("link", { name: "Redemptions" }).count(), 0);
    await page.goto(`${shop.url}/redemptions`);
    await page.getByText("You may not see this").waitFor();
    await page.getByText("listRedemptions").waitFor();
    assert.deepEqual(await faultsOf(page), []);
    await page.goto(`${shop.url}/campaigns`);
    await page.getByText("Bring a friend").waitFor();
    assert.equal(await page.getByRole("link", { name: "New campaign" }).count(), 0);
    await close();
  });

  await t.test("an open menu is as good as the page, and the keyboard is in it", async () => {
    for (const window of [MATRIX[0]!, MATRIX[1]!]) {
      const { page, settle, close } = await shop.signIn(undefined, window);
      for (const [path, name] of MENUS) {
        await page.goto(shop.url + path);
        await settle();
        await page.getByRole("button", { name }).first().click();
        const menu = page.getByRole("menu");
        await menu.getByRole("menuitem").or(menu.getByRole("menuitemcheckbox")).first().waitFor();
        await eventually(
          async () => menu.evaluate((one) => one.contains(document.activeElement)),
          "the focus is there",
        );
        assert.deepEqual(await faultsOf(page), [], `${path} ${name}`);
        await page.keyboard.press("Escape");
        await menu.waitFor({ state: "hidden" });
      }
      await close();
    }
  });

  // A time says something of the machine as well, so it is printed, and only where somebody asked for all.
  if (isAll)
    await t.test("how long a list takes from the click to its rows", async (inner) => {
      // As for a person: the code of pages is loaded while nobody waits.
      const { page, settle, close } = await shop.signIn(undefined, { savesData: false });
      await page.goto(shop.url);
      await page.waitForFunction(() => performance.getEntriesByName("pages loaded").length > 0);
      for (const path of LISTS) {
        const times: number[] = [];
        for (let n = 0; n < 6; n += 1) {
          await follow(page, "/");
          await settle();
          await page.locator(`nav a[href="${path}"]`).hover();
          await page.waitForTimeout(HAND_MS);
          times.push(await page.evaluate(timeOfRows, path));
        }
        const [first, ...others] = times as [number, ...number[]];
        const middle = others.sort((a, b) => a - b)[2]!;
        inner.diagnostic(`${path}: ${first.toFixed(0)} ms at first, then ${middle.toFixed(0)} ms; floor 200 ms`);
      }
      await close();
    });

  await t.test("an address without a page says so", async () => {
    const { page, close } = await shop.signIn();
    await page.goto(`${shop.url}/no/such/page`);
    await page.getByRole("heading", { name: "There is no page here" }).waitFor();
    await close();
  });
});
