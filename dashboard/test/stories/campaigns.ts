import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Page } from "playwright-core";
import { eventually } from "../../../test/support/child.ts";
import { faultsOf, type Shop } from "../browser.ts";
import { campaignParts } from "./campaign-parts.ts";

const tab = (page: Page, name: string) => page.getByRole("tab", { name, exact: true }).click();
/** Tries it on the cart of 100.00 that stands there at first. */
async function tryIt(page: Page, toPay: string): Promise<void> {
  await tab(page, "Check");
  const answer = page.getByRole("tabpanel").getByRole("status");
  await answer.getByText("applies", { exact: true }).waitFor();
  await answer.getByText(toPay, { exact: true }).waitFor();
  assert.deepEqual(await faultsOf(page), []);
}

/** What is filled in beside the kind and the name, and what must come of it. */
type KindStory = {
  fill: (page: Page) => Promise<unknown>;
  made: Record<string, unknown>;
  act?: string;
  /** What its page says is to be done next. */
  next?: string;
  /** What stands at the head of its page. */
  says?: string;
};
const KINDS: Record<string, KindStory> = {
  Promotion: {
    fill: async (page) => {
      await page.getByLabel("Name of the offer").fill("Ten off");
      await page.getByRole("combobox", { name: "What it gives" }).click();
      await page.getByRole("option", { name: "An amount off" }).click();
      await page.getByLabel("Amount off").fill("9.95");
      await tryIt(page, "90.05");
    },
    made: { campaign_type: "PROMOTION", amount_off: 995, active: true },
  },
  "Gift cards": {
    fill: async (page) => {
      await page.getByLabel("Amount on each card").fill("25");
      await tab(page, "Codes");
      await page.getByLabel("How many").fill("3");
      await tryIt(page, "75.00");
    },
    act: "Create it switched off",
    next: "Print the cards",
    made: { campaign_type: "GIFT_VOUCHERS", gift: 2500, type: "STATIC", active: false },
  },
  Loyalty: {
    fill: async (page) => {
      // A card that nothing puts points on is of no use.
      await page.getByRole("button", { name: "Create campaign" }).click();
      await page.getByText("Fill in this field.").first().waitFor();
      await page.getByLabel("Points earned").fill("1");
      await page.getByLabel("For every").fill("10");
      await page.getByRole("combobox", { name: "Points expire" }).click();
      await page.getByRole("option", { name: "some months after they were earned" }).click();
      await page.getByLabel("Months").fill("6");
      // What an order earns is told for the amount that is typed.
      await tab(page, "Check");
      await page.getByText("This order earns 10 points.").waitFor();
      await page.getByLabel("Amount of the order").fill("39.99");
      await page.getByText("This order earns 3 points.").waitFor();
      assert.deepEqual(await faultsOf(page), []);
    },
    next: "Say what points buy: add a reward",
    says: "1 point for every $10.00",
    made: {
      ...{ campaign_type: "LOYALTY_PROGRAM", type: "AUTO_UPDATE" },
      expires: { period_type: "MONTH", period_value: 6, rounding_type: "END_OF_MONTH" },
    },
  },
  Referral: {
    fill: async (page) => {
      await page.getByLabel("Percent off").fill("5");
      const choose = async (label: string, option: string | RegExp, at = 0) => {
        await page.getByRole("combobox", { name: label }).nth(at).click();
        await page.getByRole("option", { name: option }).first().click();
      };
      await choose("The friend also gets", "Points on a loyalty card");
      await choose("Of the campaign", "Coffee club");
      await page.getByRole("textbox", { name: "Points" }).fill("25");
      await page.getByRole("button", { name: "Add a reward for the referrer" }).click();
      await page.getByRole("button", { name: "Create campaign" }).click();
      await page.getByText("Each reward needs a campaign").first().waitFor();
      const first = page.getByRole("group", { name: "Reward 1" });
      await choose("Of the campaign", "Coffee club", 1);
      await first.getByRole("textbox", { name: "Points" }).fill("50");
      await page.getByText("Who brings a friend gets 50 points for each friend.").waitFor();
      assert.deepEqual(await faultsOf(page), []);
      await tryIt(page, "95.00");
      await tab(page, "Who and when");
      await page.getByLabel("Saturday").check();
      await page.getByLabel("From", { exact: true }).fill("19:00");
      await page.getByLabel("Until", { exact: true }).fill("17:00");
      await page.getByRole("button", { name: "Create campaign" }).click();
      await page.getByText("The end must be after the start, on the same day.").first().waitFor();
      await page.getByLabel("Until", { exact: true }).fill("21:30");
      await page.getByText("only on Saturday, only from 19:00 to 21:30.").waitFor();
      await page.getByRole("button", { name: "Add more hours" }).click();
      const more = page.getByRole("group", { name: "Hours 2" });
      await more.getByLabel("From", { exact: true }).fill("21:00");
      await more.getByLabel("Until", { exact: true }).fill("23:00");
      await page.getByRole("button", { name: "Create campaign" }).click();
      await more.getByText("These hours overlap others of the same day.").waitFor();
      await more.getByLabel("From", { exact: true }).fill("06:00");
      await more.getByLabel("Until", { exact: true }).fill("08:15");
      await more.getByRole("combobox", { name: "On these days" }).click();
      await page.getByRole("option", { name: "Saturday" }).click();
      await page.getByRole("option", { name: "Sunday" }).click();
      await page.keyboard.press("Escape");
      assert.deepEqual(await faultsOf(page), []);
      await page.getByText("only from 19:00 to 21:30 and from 06:00 to 08:15 on Saturday and Sunday.").waitFor();
    },
    next: "Give customers a code to share",
    made: {
      ...{ campaign_type: "REFERRAL_PROGRAM", percent_off: 5, days: [6], friend: 25, referrer: ["EACH"] },
      hours: {
        daily: [
          { start_time: "19:00", expiration_time: "21:30" },
          { start_time: "06:00", expiration_time: "08:15", days_of_week: [0, 6] },
        ],
      },
    },
  },
};

type Shown = {
  campaign_type: string;
  type: string;
  name: string;
  description: string | null;
  active: boolean;
  start_date?: string;
  expiration_date?: string;
  validity_day_of_week: number[] | null;
  validity_hours: object | null;
  voucher?: {
    gift?: { amount: number };
    discount?: { percent_off?: number };
    loyalty_card?: { expiration_rules?: object };
    redemption: { quantity: number | null };
  };
  referral_program?: {
    referee_reward?: { amount: number };
    tiers?: { parameters: { type: string; min?: number }; reward: { assignment_id: string } }[];
  };
  promotion?: { tiers: { action: { discount: { amount_off?: number } } }[] };
  validation_rules_assignments: { total: number };
};
const factsOf = (made: Shown): Record<string, unknown> => ({
  campaign_type: made.campaign_type,
  type: made.type,
  active: made.active,
  gift: made.voucher?.gift?.amount,
  percent_off: made.voucher?.discount?.percent_off,
  expires: made.voucher?.loyalty_card?.expiration_rules,
  friend: made.referral_program?.referee_reward?.amount,
  referrer: made.referral_program?.tiers?.map(({ parameters }) => parameters.type),
  ...{ days: made.validity_day_of_week, hours: made.validity_hours },
  amount_off: made.promotion?.tiers[0]?.action.discount.amount_off,
});

/** Campaigns are created, shown, changed and switched off. */
export async function campaigns(t: TestContext, shop: Shop): Promise<void> {
  const { page, complaints, close } = await shop.signIn();
  const created = async (act = "Create campaign"): Promise<Shown> => {
    await page.getByRole("button", { name: act }).click();
    await page.waitForURL(/\/campaigns\/camp_\w+$/);
    await page.getByRole("tab", { name: "Overview" }).waitFor();
    return shop.api<Shown>(`/v1/campaigns/${page.url().split("/").at(-1)}`);
  };

  await t.test(
    "a code for a segment: the sentence follows, faults stand at their fields, a draft comes back",
    async () => {
      await page.goto(`${shop.url}/campaigns/new`);
      await page.getByRole("button", { name: "Create campaign" }).click();
      await page.getByText("Fill in this field.").first().waitFor();
      assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("data-path")), "name");
      await page.getByLabel("Name").fill("Winter code");
      await tab(page, "Offer");
      await page.getByLabel("Percent off").fill("15");
      await tab(page, "Who and when");
      await page.getByLabel("Starts").fill("2030-12-24T00:00");
      await page.getByLabel("Ends").fill("2030-12-01T23:59");
      await page.getByLabel("Only orders of at least").fill("50");
      await page.getByRole("combobox", { name: "Only customers in this segment" }).click();
      await page.getByRole("option", { name: "VIP customers" }).click();
      await tab(page, "Codes");
      await page.getByLabel("One code for everybody").check();
      await page.getByRole("textbox", { name: /^Code/ }).fill("WINTER-STORY");
      await page.getByText("Customers of the segment “VIP customers” who spend $50.00 or more get 15% off").waitFor();
      await page.waitForFunction(() => Object.values(localStorage).some((kept) => kept.includes("WINTER-STORY")));
      await page.reload();
      await page.getByRole("button", { name: "Bring them back" }).click();
      await page.getByText("get 15% off").waitFor();
      await page.getByRole("button", { name: "Create campaign" }).click();
      await page.getByText("The end must be after the start.").first().waitFor();
      assert.deepEqual(await faultsOf(page), []);
      await page.getByLabel("Ends").fill("2030-12-31T23:59");
      const made = await created();
      assert.deepEqual(
        [made.name, made.type, made.voucher?.discount?.percent_off, made.voucher?.redemption.quantity],
        ["Winter code", "STANDALONE", 15, null],
      );
      assert.equal(made.validation_rules_assignments.total, 1);
      const { code } = await shop.api<{ code: string }>("/v1/vouchers/WINTER-STORY");
      assert.equal(code, "WINTER-STORY");
    },
  );

  const ids: Record<string, string> = {};
  for (const [kind, { fill, made, act, next, says }] of Object.entries(KINDS))
    await t.test(`a campaign of the kind ${kind}`, async () => {
      await page.goto(`${shop.url}/campaigns/new`);
      await page.getByRole("radio", { name: kind, exact: true }).check();
      await page.getByLabel("Name").first().fill(`Story ${kind}`);
      await tab(page, "Offer");
      await fill(page);
      const facts = factsOf(await created(act));
      if (next !== undefined)
        await page.getByRole("region", { name: "What to do next" }).getByRole("link", { name: next }).waitFor();
      if (says !== undefined) await page.getByText(says).waitFor();
      ids[kind] = page.url().split("/").at(-1)!;
      for (const [name, value] of Object.entries(made)) assert.deepEqual(facts[name], value, name);
    });

  await campaignParts(t, shop, page, { promotion: ids.Promotion!, loyalty: ids.Loyalty! });

  await t.test("two people change one campaign, and no change is lost", async () => {
    const address = `${shop.url}/campaigns/${ids.Referral}`;
    const id = address.split("/").at(-1);
    const other = await page.context().newPage();
    for (const one of [page, other]) {
      await one.goto(`${address}/edit`);
      await one.getByLabel("Description").waitFor();
    }
    await page.getByLabel("Description").fill("by ann");
    await tab(page, "Offer");
    await page.getByRole("group", { name: "Reward 1" }).getByText("50 points").waitFor();
    const friends = page.getByRole("option", { name: "a number of friends, once" });
    // What the page was still waiting for may close the list again.
    await eventually(async () => {
      if (!(await friends.isVisible())) await page.getByRole("combobox", { name: "For", exact: true }).click();
      return friends.isVisible();
    }, "the list is open");
    await friends.click();
    assert.deepEqual(await faultsOf(page), []);
    await page.getByRole("button", { name: "Save" }).click();
    await page.waitForURL(address);
    const program = page.getByRole("region", { name: "What friends bring" });
    await program.getByText("5% off and 25 points").waitFor();
    await program.getByText("50 points once 5 friends came").waitFor();
    await tab(other, "Who and when");
    await other.getByLabel("Ends").fill("2031-05-31T12:00");
    await other.getByRole("button", { name: "Save" }).click();
    await other.getByRole("button", { name: "Keep both" }).click();
    await other.waitForURL(address);
    const { description, expiration_date, referral_program } = await shop.api<Shown>(`/v1/campaigns/${id}`);
    assert.deepEqual([description, expiration_date?.slice(0, 10)], ["by ann", "2031-05-31"]);
    const [tier] = referral_program!.tiers!;
    assert.deepEqual(tier!.parameters, { type: "MINIMUM", min: 5 });
    // What holds the reward is a loyalty campaign that nobody joins.
    type Held = { data: { parameters: { campaign: { balance: number } } }[] };
    const { data } = await shop.api<Held>(`/v1/rewards?assignment_id=${tier!.reward.assignment_id}`);
    assert.equal(data[0]!.parameters.campaign.balance, 50);
    const { campaigns: holders } = await shop.api<{ campaigns: Shown[] }>(
      "/v1/campaigns?name=Rewards%20for%20referrers",
    );
    assert.deepEqual(
      holders.map(({ active }) => active),
      [false],
    );
    await other.close();
  });

  await t.test("a campaign is switched off, and on again by undo", async () => {
    await page.getByRole("button", { name: "Disable" }).click();
    await page.getByRole("button", { name: "Enable" }).waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: "Disable" }).waitFor();
  });

  await t.test("figures, refusals and history are there", async () => {
    const { campaigns } = await shop.api<{ campaigns: { id: string }[] }>("/v1/campaigns?name=Newsletter");
    await page.goto(`${shop.url}/campaigns/${campaigns[0]!.id}`);
    await page.getByRole("heading", { name: "Discount given" }).waitFor();
    await page.getByRole("table", { name: "Redemptions" }).waitFor({ state: "attached" });
    for (const name of ["Codes", "Refusals", "History"]) {
      await tab(page, name);
      await page
        .getByRole("tabpanel")
        .getByText(/NEWS10|Nothing was refused|Refused|Created/)
        .first()
        .waitFor();
    }
    assert.deepEqual(await faultsOf(page), []);
    assert.deepEqual(complaints, []);
    await close();
  });
}
