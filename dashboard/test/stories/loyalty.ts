import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { faultsOf, type Shop } from "../browser.ts";

const V2 = "/v2/loyalties";
type Named = { id: string; name: string; status: string };
type Listed = { data: Named[] };
type Tier = { name: string; qualification_rules: { points: { min_value: number; max_value?: number } } };

/** A loyalty program is put together as a flow, tried, and switched on. */
export async function loyalty(t: TestContext, shop: Shop): Promise<void> {
  const { page, complaints, close } = await shop.signIn();
  const flow = page.getByRole("application", { name: "What the program is made of" });
  const dialog = page.getByRole("dialog");
  const programId = () => page.url().match(/\/loyalty\/(\w+)/)![1]!;
  const named = async (path: string, name: string) =>
    (await shop.api<Listed>(`${V2}/${path}?limit=100`)).data.find((one) => one.name === name)!;

  await t.test("a program begins with a name, and is a draft with a wallet and a rule", async () => {
    await page.goto(`${shop.url}/loyalty`);
    await page.getByRole("link", { name: "New program" }).click();
    await page.getByRole("button", { name: "Create the program" }).click();
    await page.getByText("Fill in this field.").waitFor();
    await page.getByLabel("Name").fill("Story club");
    await page.getByRole("button", { name: "Create the program" }).click();
    await flow.getByRole("button", { name: /^Points for orders/ }).waitFor();
    // The line between the two is told as well.
    await flow.getByRole("img", { name: "Points for orders: fills Points" }).waitFor({ state: "attached" });
    assert.equal((await named("programs", "Story club")).status, "DRAFT");
  });

  await t.test("a part opens by keys alone, and changes without the others", async () => {
    await flow.getByRole("button", { name: /^Points for orders/ }).focus();
    await page.keyboard.press("Enter");
    await dialog.getByLabel("Points", { exact: true }).fill("2");
    assert.deepEqual(await faultsOf(page), []);
    await dialog.getByRole("button", { name: "Save" }).click();
    await flow.getByText(/^2 points for each/).waitFor();
    await flow.getByRole("button", { name: /^Points (?!for)/ }).press("Enter");
    await dialog.getByLabel("Points expire").click();
    await page.getByRole("option", { name: "some time after" }).click();
    await dialog.getByLabel("After").fill("12");
    await dialog.getByRole("button", { name: "Save" }).click();
    await flow.getByText("points expire after 12 months").waitFor();
  });

  await t.test("tiers are added: the highest one ends where the next begins", async () => {
    for (const [name, from] of [
      ["Guest", "0"],
      ["Friend", "500"],
    ] as const) {
      await flow.getByRole("button", { name: "Tier", exact: true }).click();
      if (name === "Guest") {
        await dialog.getByRole("button", { name: "Add the tier" }).click();
        await dialog.getByText("Fill in this field.").waitFor();
      }
      await dialog.getByLabel("Name").fill(name);
      await dialog.getByLabel("From", { exact: true }).fill(from);
      if (name === "Friend") await dialog.getByText("Guest ends at 499 points then.").waitFor();
      await dialog.getByRole("button", { name: "Add the tier" }).click();
      await flow.getByRole("button", { name: new RegExp(`^${name}`) }).waitFor();
    }
    const { data } = await shop.api<{ data: { tier_structure_id: string }[] }>(
      `${V2}/programs/${programId()}/tier-structures`,
    );
    const tiers = await shop.api<{ data: Tier[] }>(`${V2}/tier-structures/${data[0]!.tier_structure_id}/tiers`);
    assert.deepEqual(tiers.data.map(({ name, qualification_rules }) => [name, qualification_rules.points]).sort(), [
      ["Friend", { min_value: 500 }],
      ["Guest", { min_value: 0, max_value: 499 }],
    ]);
  });

  await t.test("a reward is added, for fewer points in a tier", async () => {
    await flow.getByRole("button", { name: "Reward", exact: true }).click();
    await dialog.getByLabel("Name").fill("Story mug");
    await dialog.getByRole("button", { name: "Add the reward" }).click();
    await dialog.getByText("Fill in this field.").waitFor();
    await dialog.getByRole("combobox", { name: "Product" }).fill("mug");
    await page.getByRole("option", { name: "Mug" }).first().click();
    await dialog.getByLabel("Points", { exact: true }).fill("300");
    await dialog.getByRole("button", { name: "Add a price before these" }).click();
    await dialog.getByLabel("Points", { exact: true }).first().fill("200");
    await dialog.getByRole("combobox", { name: "Only for members in" }).first().click();
    await page.getByRole("option", { name: "Friend" }).click();
    await page.keyboard.press("Tab");
    await dialog.getByLabel("How many there are").fill("5");
    assert.deepEqual(await faultsOf(page), []);
    await dialog.getByRole("button", { name: "Add the reward" }).click();
    await flow.getByText("Friend: 200 Points").waitFor();
    await flow.getByText("a product · 5 left").waitFor();
  });

  await t.test("the list has the same facts, and the program is switched on with all its parts", async () => {
    await page.getByText("List", { exact: true }).click();
    await page.waitForURL(/view=list/);
    await page.getByText("Friend: 200 Points").waitFor();
    await page.getByText("counts for Guest, Friend").waitFor();
    assert.deepEqual(await faultsOf(page), []);
    await page.getByRole("button", { name: "Activate" }).click();
    await dialog.getByText("It has 0 members.").waitFor();
    await dialog.getByText("4 parts of it are switched on first.").waitFor();
    await dialog.getByRole("button", { name: "Activate" }).click();
    await page.getByText("its wallets and tiers are fixed").waitFor();
    for (const [path, name] of [
      ["programs", "Story club"],
      ["rewards", "Story mug"],
      ["tier-structures", "Story club"],
    ] as const)
      assert.equal((await named(path, name)).status, "ACTIVE", path);
    // Another tier would change cards that members have.
    assert.equal(await page.getByRole("button", { name: "Tier", exact: true }).count(), 0);
    assert.equal(await page.getByRole("button", { name: "Rule", exact: true }).count(), 1);
  });

  await t.test("an order is tried for a member: the points of the tier, by the rule that gives them", async () => {
    await page.goto(`${shop.url}/loyalty/${(await named("programs", "Laurel club")).id}/design`);
    await flow.getByText("Gold: 600 Points").waitFor();
    await page.getByRole("combobox", { name: "Member" }).fill("ali");
    await page.getByRole("option", { name: /alice/i }).first().click();
    await page.getByRole("button", { name: "Work it out" }).click();
    await page.getByText("80 points into Points, by the rule Points for orders").waitFor();
    assert.deepEqual(await faultsOf(page), []);
    assert.deepEqual(complaints, []);
    await close();
  });
}
