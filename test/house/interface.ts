import * as loyalty from "./interface/loyalty.ts";
import * as members from "./interface/members.ts";
import * as platform from "./interface/platform.ts";
import * as promotions from "./interface/promotions.ts";
import type { Row } from "./interface/row.ts";

export type { Row } from "./interface/row.ts";

/** Rows that most of their tests hold together with others, by the test that holds each of them alone. */
const ALONE: Record<string, readonly string[]> = {
  "authentication and tokens, row by row": [
    ...["server", "client", "management", "rule1", "rule2", "rule4"].map((name) => `authentication.${name}`),
    ...["convention.form", "oauth.token.commas", "service.oauth"],
  ],
  "projects, row by row": [
    ...["service.project_management", "project.webhooks_callout_notifications", "events.rule5"],
    ...["project.put.types", "project.put.answer", "versioning.rule4"],
  ],
  "validations, qualifications and redemptions, row by row": [
    ...["service.validation", "service.qualification", "service.redemptions", "error.rule4", "qualification.order"],
    ...["limit.validation_redeemables", "limit.validation_session"],
    ...["path", "redeemables", "kinds", "combined", "session", "session_lock", "answer", "answer_optional"].map(
      (name) => `validation.${name}`,
    ),
  ],
  "events, row by row": ["service.events", "events.rule1"],
  "holders of referral codes, row by row": ["limit.holders", "holders.post.holders", "holders.post.metadata"],
  "loyalty programs, row by row": [
    ...["service.loyalty_v2", "card_definition.get.path", "card_definition.get.answer", "earning_rule.delete.path"],
    ...["activate.path", "activate.answer", "put.rule1", "state.rule1", "state.statuses"].map(
      (name) => `tier_structure.${name}`,
    ),
  ],
};
const aloneIn = new Map(
  Object.entries(ALONE).flatMap(([name, ids]) =>
    ids.map((id) => [id, `test/house/interface-alone.test.ts › ${name} › ${id}`] as const),
  ),
);

/** Every row of the interface. */
export const INTERFACE: readonly Row[] = [platform, promotions, loyalty, members]
  .flatMap((part) => Object.values(part).flat())
  .map((row) => ({ ...row, tests: [...row.tests, ...(aloneIn.has(row.id) ? [aloneIn.get(row.id)!] : [])] }));
