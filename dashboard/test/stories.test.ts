import { test } from "node:test";
import { openShop, skip } from "./browser.ts";
import { campaigns } from "./stories/campaigns.ts";
import { customersAndCodes } from "./stories/customers-and-codes.ts";
import { goods } from "./stories/goods.ts";
import { keys } from "./stories/keys.ts";
import { leftovers } from "./stories/leftovers.ts";
import { loyalty } from "./stories/loyalty.ts";
import { marketers } from "./stories/marketers.ts";
import { newcomer } from "./stories/newcomer.ts";
import { operators } from "./stories/operators.ts";
import { people } from "./stories/people.ts";
import { questions } from "./stories/questions.ts";
import { rules } from "./stories/rules.ts";
import { shell } from "./stories/shell.ts";
import { twoPeople } from "./stories/two-people.ts";
import { why } from "./stories/why.ts";

// What people do with the dashboard, from signing in to the end. All in one shop, one after the other: starting a shop and a
// browser takes longer than most stories. People come last: they end sessions, also the one that reads for the tests.
const STORIES = {
  newcomer,
  shell,
  rules,
  why,
  operators,
  customersAndCodes,
  campaigns,
  goods,
  marketers,
  loyalty,
  leftovers,
  keys,
  questions,
  twoPeople,
  people,
};

test("stories in a browser", { skip }, async (t) => {
  const shop = await openShop();
  // `STORY=loyalty node scripts/test.ts dashboard/test/stories` runs one of them, for who works on it.
  const only = process.env.STORY?.split(",");
  for (const [name, story] of Object.entries(STORIES))
    if (only === undefined || only.includes(name))
      await t.test(name, async (inner) => {
        // What one story broke does not break the next.
        shop.faults.clear();
        await story(inner, shop);
      });
});
