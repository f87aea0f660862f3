import assert from "node:assert/strict";
import { test } from "node:test";
import { campaignKind } from "./kind.ts";

const discount = { type: "PERCENT", percent_off: 10 };
const gift = { amount: 100 };
const loyalty_card = { points: 0 };

const GOOD: [
  sent: Parameters<typeof campaignKind>[0],
  campaignType: string,
  type: string,
  voucherType: string | null,
][] = [
  [{ voucher: { discount } }, "DISCOUNT_COUPONS", "AUTO_UPDATE", "DISCOUNT_VOUCHER"],
  [{ voucher: { type: "DISCOUNT_VOUCHER", discount } }, "DISCOUNT_COUPONS", "AUTO_UPDATE", "DISCOUNT_VOUCHER"],
  [{ voucher: { gift }, type: "STATIC" }, "GIFT_VOUCHERS", "STATIC", "GIFT_VOUCHER"],
  [{ voucher: { loyalty_card, discount: null } }, "LOYALTY_PROGRAM", "AUTO_UPDATE", "LOYALTY_CARD"],
  [{ voucher: { discount, is_referral_code: true } }, "REFERRAL_PROGRAM", "AUTO_UPDATE", "DISCOUNT_VOUCHER"],
  [{ voucher: { discount }, referral_program: {} }, "REFERRAL_PROGRAM", "AUTO_UPDATE", "DISCOUNT_VOUCHER"],
  [{ promotion: { tiers: [] } }, "PROMOTION", "STATIC", null],
  [{ campaign_type: "PROMOTION", type: "AUTO_UPDATE", voucher: null }, "PROMOTION", "STATIC", null],
  [{ voucher: { gift, code: "A" }, type: "STANDALONE" }, "GIFT_VOUCHERS", "STANDALONE", "GIFT_VOUCHER"],
];
for (const [sent, campaign_type, type, voucher_type] of GOOD)
  test(`${JSON.stringify(sent)} is a ${type} campaign of ${campaign_type}`, () =>
    assert.deepEqual(campaignKind(sent), { campaign_type, type, voucher_type }));

const BAD: [sent: Parameters<typeof campaignKind>[0], fault: string][] = [
  [{}, "Payload must have required property 'campaign_type'"],
  [{ voucher: {} }, "Payload must have required property 'campaign_type'"],
  [{ campaign_type: "GIFT_VOUCHERS" }, "Payload must have required property 'voucher'"],
  [{ campaign_type: "GIFT_VOUCHERS", voucher: {} }, "Property .voucher must have required property 'gift'"],
  [
    { campaign_type: "GIFT_VOUCHERS", voucher: { type: "LOYALTY_CARD", gift } },
    "Property .voucher.type must be equal to one of the allowed values [ GIFT_VOUCHER ]",
  ],
  [{ voucher: { discount, gift } }, "Property .voucher.gift is not for a code of the type DISCOUNT_VOUCHER"],
  [
    { campaign_type: "PROMOTION", voucher: { discount } },
    "Property .voucher is not for a campaign of the type PROMOTION, which has no codes",
  ],
  [
    { campaign_type: "DISCOUNT_COUPONS", voucher: { discount }, promotion: {} },
    "Property .promotion is not for a campaign of the type DISCOUNT_COUPONS",
  ],
  ...[{ voucher: { loyalty_card } }, { voucher: { discount }, referral_program: {} }, { promotion: {} }].map(
    (sent): [object, string] => [
      { ...sent, type: "STANDALONE" },
      "Property .type may be STANDALONE for DISCOUNT_COUPONS and GIFT_VOUCHERS only",
    ],
  ),
  [
    { voucher: { gift }, type: "STANDALONE", vouchers_count: 2 },
    "Property .vouchers_count of a STANDALONE campaign must be 1",
  ],
  [{ voucher: { gift, code: "A" } }, "Property .voucher.code is for a campaign of the type STANDALONE"],
];
for (const [sent, fault] of BAD)
  test(`${JSON.stringify(sent)} is refused: ${fault}`, () => assert.deepEqual(campaignKind(sent), { fault }));
