import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldOf, RequestError } from "../../../api/errors.ts";
import { OFFER_PATHS } from "../offers/offer-values.ts";
import { PATHS } from "./paths.ts";
import { START } from "./values.ts";

const at = (details: string, paths: typeof PATHS | typeof OFFER_PATHS) =>
  fieldOf(new RequestError(400, { key: "invalid_payload", details }), Object.keys(START), paths);

test("what the server refuses is told at the field that holds it", () => {
  for (const [details, field] of [
    ["Property .voucher.discount.percent_off must be at most 100", "discount"],
    ["Property .promotion.tiers[1].action.discount.type is unknown", "tiers"],
    ["Property .voucher.code_config.pattern is too short", "pattern"],
    ["Property .loyalty_card.points must be integer", "points"],
    ["validity_timeframe.duration must not be longer than validity_timeframe.interval", "times"],
    ["validity_hours.daily[0].expiration_time must be after start_time", "times"],
    ["Property .description must be string", "description"],
  ] as const)
    assert.equal(at(details, PATHS), field, details);
  assert.equal(at("Property .action.discount.amount_off must be integer", OFFER_PATHS), "discount");
});
