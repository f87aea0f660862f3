import { examineEarnings } from "../../../flows/loyalty-v2/examine-earnings.ts";
import { examineRewards } from "../../../flows/loyalty-v2/examine-rewards.ts";
import { read } from "../../../http/route.ts";
import { ExaminedEarnings, ExaminedRewards, ExamineEarnings, ExamineRewards } from "./schema.ts";

export const loyaltyExamineRoutes = [
  read(
    "POST /v2/loyalties/examine/earning-rules",
    {
      id: "examineEarningRules",
      summary: "Ask what a customer would earn",
      description: "Nothing is written. Limits of rules count, limits of cards do not.",
      body: ExamineEarnings,
      ok: ExaminedEarnings,
    },
    (c) => examineEarnings(c, c.body),
  ),
  read(
    "POST /v2/loyalties/examine/rewards",
    {
      id: "examineRewards",
      summary: "Ask which rewards a customer can have",
      description: "Nothing is written.",
      body: ExamineRewards,
      ok: ExaminedRewards,
    },
    (c) => examineRewards(c, c.body),
  ),
];
