import { defineRule, single } from "./rule.ts";

/** Which API key redeems; none when a user of the dashboard does. */
export const redemptionApiKey = defineRule({
  name: "redemption.api_key",
  summary: "The id of the API key of the request.",
  family: "redemption",
  takes: "ids",
  needs: [],
  read: ({ redemption }) => single(redemption.api_key_id),
  examples: [
    { conditions: { $is: ["key_1"] }, facts: { redemption: { api_key_id: "key_1" } }, holds: true },
    { conditions: { $in: ["key_1"] }, facts: {}, holds: false },
    { conditions: { $is_not: ["key_1"] }, facts: {}, holds: true },
  ],
});

/** Which user of the dashboard redeems; none when an API key does. */
export const redemptionUserLogin = defineRule({
  name: "redemption.user.login",
  summary: "The login of the user who sends the request.",
  family: "redemption",
  takes: "login",
  needs: [],
  read: ({ redemption }) => single(redemption.user_login),
  examples: [
    {
      conditions: { $is: ["ann@shop.example"] },
      facts: { redemption: { user_login: "ann@shop.example" } },
      holds: true,
    },
    {
      conditions: { $ends_with: ["@shop.example"] },
      facts: { redemption: { user_login: "x@a.example" } },
      holds: false,
    },
  ],
});
