import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldOf, RequestError } from "./errors.ts";

const refusal = (details: string, status = 400) => new RequestError(status, { key: "invalid_payload", details });

test("a fault belongs to the field that it names first", () => {
  assert.equal(fieldOf(refusal("Property .brand.name must be string"), ["name", "brand"]), "brand");
  assert.equal(fieldOf(refusal("events[0] is unknown"), ["events"]), "events");
  assert.equal(fieldOf(refusal("Too many of them"), ["events"]), null);
  assert.equal(fieldOf(refusal("Property .name must be string", 404), ["name"]), null);
});

test("what is sent under another name belongs to its field too, by the longest path", () => {
  const paths = {
    ...{ "voucher.discount": "discount", "voucher.loyalty_card": "expires", "voucher.loyalty_card.points": "points" },
    ...{ "promotion.tiers": "tiers", validity_hours: "times" },
  };
  const fields = ["name", "discount", "points", "expires", "tiers", "times"];
  const at = (details: string) => fieldOf(refusal(details), fields, paths);
  assert.equal(at("Property .voucher.discount.percent_off must be <= 100"), "discount");
  assert.equal(at("Property .voucher.loyalty_card.points must be integer"), "points");
  assert.equal(at("Property .voucher.loyalty_card.expiration_rules.period_type is unknown"), "expires");
  // Of an offer, and not of the campaign.
  assert.equal(at("Property .promotion.tiers[0].name must be string"), "tiers");
  assert.equal(at("Property [0].voucher.discount must be object"), "discount");
  assert.equal(at("validity_hours.daily[0] ends before it starts"), "times");
  assert.equal(at("Property .voucher.discounts is unknown"), null);
  assert.equal(at("Property .name must be string"), "name");
});
