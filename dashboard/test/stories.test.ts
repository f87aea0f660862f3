import { test } from "node:test";
import { openShop, skip } from "./browser.ts";
import { campaigns } from "./stories/campaigns.ts";
import { customersAndCodes } from "./stories/customers-and-codes.ts";
import { marketers } from "./stories/marketers.ts";
import { operators } from "./stories/operators.ts";
import { people } from "./stories/people.ts";
import { rules } from "./stories/rules.ts";
import { shell } from "./stories/shell.ts";
import { why } from "./stories/why.ts";

// What people do with the dashboard, from signing in to the end. All in one shop, one after the other: starting a shop and a
// browser takes longer than most stories. People come last: they end sessions, also the one that reads for the tests.
const STORIES = { shell, rules, why, operators, customersAndCodes, campaigns, marketers, people };

test("stories in a browser", { skip }, async (t) => {
  const shop = await openShop();
  for (const [name, story] of Object.entries(STORIES)) {
    shop.faults.clear();
    await t.test(name, (inner) => story(inner, shop));
  }
});
