import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type CartLine, cart } from "../../../test/support/carts.ts";
import { moment, offer } from "../../../test/support/offers.ts";
import { gift, redeemable, rule, SITUATION } from "../../../test/support/redeemables.ts";
import type { Discount } from "../discounts/discount.ts";
import { DEFAULT_STACKING } from "../stacking/settings.ts";
import type { RedeemableBenefit } from "../validate/redeemable.ts";
import { compileOfferFilter } from "./filter.ts";
import type { Offer, SingleOffer } from "./offer.ts";
import { offersPage, type Paging, type Sources } from "./page.ts";
import { indexPromotions, promotionsFor } from "./promotions.ts";
import { dealOf, type Match, type Question, qualifyOffer, questionOf } from "./qualify.ts";
import { SCENARIOS, type ScenarioName } from "./scenario.ts";

// Few different values, so that rules and carts meet often.
const ids = fc.constantFrom("a", "b", "c");
const object = fc.constantFrom("product", "sku", "products_collection");
const thing = fc.record({ id: ids, object });
const some = <T>(one: fc.Arbitrary<T>) => fc.array(one, { minLength: 1, maxLength: 2 });
const equality = fc.constantFrom("$is", "$in", "$is_not");
const amounts = fc.constantFrom(0, 500, 1000, 3000);

const asks = (name: string | fc.Arbitrary<string>, operator: fc.Arbitrary<string>, values: fc.Arbitrary<unknown[]>) =>
  fc
    .tuple(typeof name === "string" ? fc.constant(name) : name, operator, values)
    .map(([rule, op, list]) => ({ name: rule, property: "p", conditions: { [op]: list } }));
const condition = fc.oneof(
  asks("customer.segment", equality, some(ids)),
  asks(fc.constantFrom("customer.metadata", "order.metadata"), equality, some(ids)),
  asks(
    fc.constantFrom("order.initial_amount", "order.amount", "order.total_amount"),
    fc.constantFrom("$more_than", "$less_than_or_equal"),
    amounts.map((one) => [one]),
  ),
  asks(
    fc.constantFrom("order.items.any", "order.items.every", "order.items.none", "order.items.cheapest"),
    fc.constant("$is"),
    some(thing),
  ),
  asks(fc.constantFrom("product.id", "sku.id"), equality, some(ids)),
  asks("product.metadata", equality, some(ids)),
  asks("publication.redeemable_by_linked_customer", fc.constant("$is"), fc.constant([true])),
  asks(
    fc.constantFrom("campaign.redemptions.count", "redemption.count.per_customer"),
    fc.constant("$less_than"),
    fc.constant([1]),
  ),
);
const LOGICS = ["1", "1 and 2", "1 or 2", "1 and (2 or 3)", "1 or 2 and 3"];
const definition = fc
  .record({
    list: fc.tuple(condition, condition, condition),
    logic: fc.constantFrom(...LOGICS),
    included: fc.option(some(thing)),
    included_all: fc.boolean(),
    bundle: fc.option(fc.tuple(thing, fc.constantFrom(1, 3)), { freq: 6 }),
  })
  .map(({ list: [one, two, three], logic, included, included_all, bundle }) =>
    rule({
      rules: { "1": one, "2": two, "3": three, logic },
      applicable_to: included ? { included } : { included_all },
      ...(bundle && {
        bundle_rules: {
          "1": {
            name: "order.items.any",
            conditions: { $is: [{ ...bundle[0], type: "product_or_sku" }] },
            rules: { "1": { name: "order.items.aggregated_quantity", conditions: { $is: [bundle[1]] } } },
          },
        },
      }),
    }),
  );
const benefit: fc.Arbitrary<Discount | RedeemableBenefit> = fc.oneof(
  fc.constantFrom<Discount | RedeemableBenefit>(
    { type: "PERCENT", percent_off: 10 },
    { type: "PERCENT", percent_off: 20, effect: "APPLY_TO_ITEMS" },
    { type: "AMOUNT", amount_off: 300, effect: "APPLY_TO_ORDER" },
    { type: "AMOUNT", amount_off: 300, effect: "APPLY_TO_ITEMS_PROPORTIONALLY" },
    { type: "UNIT", unit_off: 1, unit_type: "a", effect: "ADD_MISSING_ITEMS" },
    { type: "UNIT", unit_off: 1, effect: "ADD_SAME_ITEMS" },
    gift(700),
    gift(700, { effect: "APPLY_TO_ITEMS" }),
  ),
);
const dates = fc.constantFrom(
  null,
  "2025-06-01T00:00:00Z",
  "2026-01-01",
  "2026-01-01T12:00:00Z",
  "2026-06-01T00:00:00Z",
);
const offers = (object: fc.Arbitrary<SingleOffer["object"]>, from: number) =>
  fc
    .array(
      fc.record({
        object,
        benefit,
        rules: fc.array(definition, { maxLength: 2 }),
        is_active: fc.boolean().map((one) => one || from > 0),
        start_date: dates,
        expiration_date: dates,
        holder_ids: fc.option(fc.constant(["cust_1"])),
        category_id: fc.option(ids),
      }),
      { maxLength: 14 },
    )
    .map((list) =>
      list.map(({ object: kind, benefit: of, start_date, expiration_date, ...given }, n): SingleOffer => {
        const id = `${kind}_${from + n}`;
        const validity = { ...redeemable(of).validity, start_date, expiration_date };
        const own = redeemable(of, {
          ...given,
          validity,
          id,
          ref: id,
          object: kind === "promotion_tier" ? kind : "voucher",
        });
        return offer(own, { object: kind, created_at: moment(from + n * 3) });
      }),
    );
const promotions = offers(fc.constantFrom<SingleOffer["object"]>("promotion_tier", "campaign"), 0);
const codes = offers(fc.constant<SingleOffer["object"]>("voucher"), 1);

const line: fc.Arbitrary<CartLine> = fc.record({
  product: ids,
  sku: fc.option(ids, { nil: undefined }),
  price: fc.constantFrom(100, 500, 2000),
  quantity: fc.constantFrom(1, 3),
  collections: fc.uniqueArray(ids, { maxLength: 2 }),
}) as fc.Arbitrary<CartLine>;
const orders = fc.option(
  fc
    .tuple(fc.array(line, { maxLength: 3 }), fc.option(ids))
    .map(([lines, p]) => cart(lines, { metadata: p === null ? {} : { p } })),
  { freq: 10 },
);
const customers = fc.option(
  fc.record({
    id: fc.constantFrom("cust_1", "cust_2"),
    source_id: fc.constant(null),
    metadata: fc.option(ids).map((p) => (p === null ? {} : { p })),
    birthdate: fc.constant(null),
    segments: fc.uniqueArray(ids).map((list) => new Set(list)),
    loyalty_tiers: fc.constant(new Set<string>()),
  }),
);
const questions: fc.Arbitrary<Question> = fc
  .record({
    scenario: fc.constantFrom(...(Object.keys(SCENARIOS) as ScenarioName[])),
    order: orders,
    customer: customers,
    category: fc.option(ids, { freq: 4 }),
  })
  .map(({ scenario, order, customer, category }) =>
    questionOf(scenario, {
      order,
      settings: DEFAULT_STACKING,
      situation: { ...SITUATION, customer },
      filter: category === null ? null : compileOfferFilter({ category_id: { conditions: { $is: [category] } } }),
    }),
  );

/** What the answer has to be: everything is tried, newest first. */
function scan(given: readonly Offer[], question: Question): Match[] {
  const sorted = given.toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1));
  const takes = ({ object: kind }: Offer) =>
    kind === "voucher" || question.scenario.sources.has(kind === "campaign" ? "campaigns" : "tiers");
  const category = (one: Offer) =>
    question.filter === null || question.filter.fields[0]!.tests.every((t) => t(one.category_id, {} as never));
  return sorted.filter((one) => takes(one) && category(one)).flatMap((one) => qualifyOffer(one, question) ?? []);
}
const shown = (matches: readonly Match[]) => matches.map((match) => [match.offer.id, dealOf(match)]);

test("pages through the index give what a full scan gives, in every scenario", () => {
  let [found, considered, all] = [0, 0, 0];
  fc.assert(
    fc.property(promotions, codes, questions, fc.integer({ min: 1, max: 4 }), (given, listed, question, limit) => {
      const sources: Sources = { promotions: indexPromotions(given, "UTC"), listed };
      const expected = scan([...given, ...listed], question);
      const seen: Match[] = [];
      for (let paging: Paging | null = { limit, after: null, sorting: "DEFAULT" }; paging; ) {
        const { matches, hasMore } = offersPage(sources, question, paging);
        assert.equal(matches.length, Math.min(limit, expected.length - seen.length));
        seen.push(...matches);
        assert.equal(hasMore, seen.length < expected.length);
        paging = hasMore ? { ...paging, after: seen.at(-1)!.offer.created_at } : null;
      }
      assert.deepEqual(shown(seen), shown(expected));
      const facts = { customer: question.situation.customer, order: question.order, now: SITUATION.now };
      const query = { scenario: question.scenario, facts, after: null };
      considered += [...promotionsFor(sources.promotions!, query)].length;
      all += given.length;
      found += expected.length;
    }),
    { numRuns: 800 },
  );
  assert.ok(considered < all * 0.6 && found > 250, `${considered} of ${all} were looked at, ${found} can be used`);
});

test("sorted by deal, the pages hold every match once, in order", () => {
  fc.assert(
    fc.property(promotions, codes, questions, fc.boolean(), (given, listed, question, isBest) => {
      const sources: Sources = { promotions: indexPromotions(given, "UTC"), listed };
      const sign = isBest ? -1 : 1;
      const expected = scan([...given, ...listed], question).toSorted((a, b) => sign * (dealOf(a) - dealOf(b)));
      const seen: Match[] = [];
      for (let after: string | null = null, hasMore = true; hasMore; ) {
        const page = offersPage(sources, question, { limit: 2, after, sorting: isBest ? "BEST_DEAL" : "LEAST_DEAL" });
        seen.push(...page.matches);
        after = seen.at(-1)?.offer.created_at ?? null;
        hasMore = page.hasMore;
      }
      assert.deepEqual(shown(seen), shown(expected));
    }),
    { numRuns: 300 },
  );
});

test("an index that was changed finds what a new one finds", () => {
  fc.assert(
    fc.property(promotions, promotions, fc.infiniteStream(fc.boolean()), questions, (old, fresh, keeps, question) => {
      const kept = old.filter(() => keeps.next().value);
      const added = fresh.map((one, n) => ({ ...one, id: `new_${n}`, created_at: moment(n * 3 + 2) }));
      const changed = indexPromotions([...added, ...kept], "UTC", indexPromotions(old, "UTC"));
      assert.ok(changed.base.offers.length <= old.length, "nothing was compiled again");
      const paging: Paging = { limit: 50, after: null, sorting: "DEFAULT" };
      const { matches } = offersPage({ promotions: changed, listed: [] }, question, paging);
      assert.deepEqual(shown(matches), shown(scan([...added, ...kept], question)));
    }),
    { numRuns: 500 },
  );
});

test("a list of codes that ends early is continued where it ended", () => {
  fc.assert(
    fc.property(promotions, codes, questions, fc.integer({ min: 0, max: 5 }), (given, all, question, limit) => {
      const listed = all.toReversed();
      const index = indexPromotions(given, "UTC");
      const seen: Match[] = [];
      let [hasMore, after] = [false, null as string | null];
      for (let from = 0; ; from += 2) {
        const part = listed.slice(from, from + 2);
        const listedTo = from + 2 < listed.length ? part.at(-1)!.created_at : null;
        const paging: Paging = { limit: limit - seen.length, after, sorting: "DEFAULT" };
        const page = offersPage({ promotions: index, listed: part, listedTo }, question, paging);
        seen.push(...page.matches);
        hasMore = page.hasMore;
        after = page.resume;
        if (after === null) break;
      }
      const expected = scan([...given, ...listed], question);
      assert.deepEqual(shown(seen), shown(expected.slice(0, limit)));
      assert.equal(hasMore, expected.length > limit);
    }),
    { numRuns: 500 },
  );
});

test("an index is compiled anew when many have changed, or the zone has", () => {
  const make = (n: number) =>
    offer(redeemable({ type: "AMOUNT", amount_off: n }, { id: `T${n}` }), { created_at: moment(n) });
  const old = Array.from({ length: 100 }, (_, n) => make(n));
  const first = indexPromotions(old, "UTC");
  const few = indexPromotions([...old.slice(10), make(200)], "UTC", first);
  assert.deepEqual([few.base === first.base, few.recent.offers.length, few.goneCount], [true, 1, 10]);
  const many = indexPromotions([...old, ...Array.from({ length: 65 }, (_, n) => make(200 + n))], "UTC", first);
  assert.deepEqual([many.base.offers.length, many.recent.offers.length], [165, 0]);
  assert.notEqual(indexPromotions(old, "Europe/Berlin", first).base, first.base);
});

test("one that is listed twice counts once", () => {
  const code = offer(redeemable({ type: "AMOUNT", amount_off: 1 }));
  const question = questionOf("ALL", { order: null, settings: DEFAULT_STACKING, situation: SITUATION, filter: null });
  const paging: Paging = { limit: 5, after: null, sorting: "DEFAULT" };
  assert.equal(offersPage({ promotions: null, listed: [code, { ...code }] }, question, paging).matches.length, 1);
});
