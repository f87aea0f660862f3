import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CUT, MASK, maskedStart, maskedText, maskedUrl } from "./mask.ts";
import { BODY_MAX, noNames, PERSONAL_COUNT_MAX, redactBodies } from "./redact.ts";

const redacted = (value: unknown, about = "", namesMax?: number) => {
  const names = noNames(namesMax);
  const { texts } = redactBodies([{ value, about }], names);
  return { text: texts[0]!, value: JSON.parse(texts[0]!), names };
};

// Quoted local parts are for nobody's address.
const email = fc.emailAddress();
const digits = (count: number) =>
  fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: count, maxLength: count });
const phone = fc.oneof(
  fc.tuple(digits(2), digits(3), digits(6)).map(([a, b, c]) => `+${a} ${b} ${c}`),
  fc.tuple(digits(2), digits(10)).map(([a, b]) => `+${a}${b}`),
  fc.tuple(digits(3), digits(3), digits(4)).map(([a, b, c]) => `(${a}) ${b}-${c}`),
  fc.tuple(digits(3), digits(3), digits(4)).map(([a, b, c]) => `${a}-${b}-${c}`),
);
const personal = fc.oneof(email, phone);
const word = fc.string({ unit: fc.constantFrom(..."abc 12\n"), maxLength: 10 });

/** A value with something at a place that chance says: a field, a list, a name of a field, in the middle of a text. */
const holding = (text: string): fc.Arbitrary<unknown> =>
  fc.letrec<{ any: unknown }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      fc.tuple(word, word).map(([before, after]) => `${before} ${text} ${after}`),
      fc.constant(text),
      fc.array(tie("any"), { minLength: 1, maxLength: 3 }),
      fc.tuple(fc.string(), tie("any"), fc.jsonValue()).map(([name, one, other]) => ({ [name]: one, other })),
      fc.jsonValue().map((one) => ({ [`of ${text}`]: one })),
    ),
  })).any;

test("an e-mail address or a phone number is in no body that is logged, wherever it stood", () => {
  fc.assert(
    fc.property(
      personal.chain((text) => fc.tuple(fc.constant(text), holding(text))),
      ([text, value]) => {
        const body = redacted(JSON.parse(JSON.stringify(value)));
        assert.ok(!body.text.includes(JSON.stringify(text).slice(1, -1)), body.text);
        assert.ok(body.text.includes(MASK) || body.text.includes("…"));
      },
    ),
    { numRuns: 500 },
  );
});

test("nor in a path or a query, however it is encoded", () => {
  const encoded = fc.constantFrom(
    encodeURIComponent,
    (text: string) => encodeURIComponent(encodeURIComponent(text)),
    (text: string) => [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
  );
  const url = fc.constantFrom(
    (part: string) => `/v1/customers/${part}`,
    (part: string) => `/v1/customers/${part}/activity?limit=1`,
    (part: string) => `/v1/customers?filters[source_id][conditions][$is]=${part}&limit=1`,
    (part: string) => `/v1/customers?${part}=1`,
  );
  fc.assert(
    fc.property(personal, encoded, url, (text, encode, make) => {
      const masked = maskedUrl(make(encode(text)));
      let plain = masked;
      for (let n = 0; n < 3 && /%[0-9a-f]{2}/i.test(plain); n += 1) plain = decodeURIComponent(plain);
      assert.ok(masked.includes(MASK) && !plain.includes(text), masked);
    }),
    { numRuns: 500 },
  );
  assert.equal(
    maskedUrl("/v1/customers?email=ann&phone=1&limit=2"),
    `/v1/customers?email=${MASK}&phone=${MASK}&limit=2`,
  );
  assert.equal(maskedUrl("/v1/exports/exp_1?token=abc"), `/v1/exports/exp_1?token=${MASK}`);
  assert.equal(maskedUrl("/v1/vouchers/%zz"), `/v1/vouchers/${MASK}`);
  assert.equal(maskedUrl("/v1/customers/%2522%40a.aa"), `/v1/customers/${MASK}`);
  for (const plain of ["/v1/vouchers/SUMMER-10%25?limit=1", "/v1/orders?created_at[after]=2026-01-01T00:00:00Z", "/"])
    assert.equal(maskedUrl(plain), plain);
});

test("fields that name a secret hold none, whatever they held", () => {
  const secret = fc.constantFrom(
    "app_token",
    "access_token",
    "client_secret",
    "password",
    "Authorization",
    "apiKey",
    "x-app-token",
    "auth",
    "access_key",
    "privateKey",
    "card_pin",
    "otp",
    "cvv",
  );
  const value = fc.oneof(
    fc.string({ minLength: 8 }),
    fc.nat(),
    fc.array(fc.string({ minLength: 8 })),
    fc.dictionary(fc.string(), fc.string()),
  );
  fc.assert(
    fc.property(secret, value, (field, held) => {
      assert.deepEqual(redacted({ a: [{ [field]: held }] }).value, { a: [{ [field]: MASK }] });
    }),
  );
  const hex = "0f".repeat(32);
  for (const [text, shown] of [
    [`it is ${hex}`, `it is ${MASK}`],
    ["Bearer abc.def", MASK],
    ["eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.c2lnbmF0dXJl", MASK],
    ["https://x/v1/exports/exp_1?token=abc&a=1", `https://x/v1/exports/exp_1?token=${MASK}&a=1`],
    ["https://x/?key=abc&a=1", `https://x/?key=${MASK}&a=1`],
    ["https://x/?a=1&sig=abc", `https://x/?a=1&sig=${MASK}`],
    ["https://x/v1/assets/qr/U2Fs-x?size=1", `https://x/v1/assets/qr/${MASK}?size=1`],
    ["order 2026-01-01, code 1234567890, +00:00, 10+20", "order 2026-01-01, code 1234567890, +00:00, 10+20"],
  ] as const)
    assert.equal(maskedText(text), shown);
});

test("a text is read once, however long it is and whatever it is made of", () => {
  // A token that begins inside a word is looked for near the start of it only, or each `eyJ` would read all that follows.
  const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.c2lnbmF0dXJl";
  assert.equal(maskedText(`a ${jwt}, my-${jwt}`), `a ${MASK}, ${MASK}`);
  assert.equal(maskedText(`${"-".repeat(60)}${jwt}`), `${"-".repeat(60)}${jwt}`);
  for (const part of ["eyJ-", "eyJhbGciOi-", "a@", "+1 ", "(12) 1", "Bearer ", "?token"])
    assert.equal(maskedText(part.repeat(100_000 / part.length)).includes("eyJ"), part.includes("eyJ"));
});

test("no half of an address is left where a text is cut", () => {
  const seen: number[] = [];
  const read = (text: string) => {
    seen.push(text.length);
    return maskedText(text);
  };
  fc.assert(
    fc.property(fc.nat(600), fc.integer({ min: 1, max: 400 }), (before, max) => {
      const text = `${"b".repeat(before)} ${"ann.smith@mail.example ".repeat(100)}`;
      const shown = maskedStart(text, max, read);
      assert.ok(!/ann|smi|mail/.test(shown) && shown.length <= max + 1 && shown.endsWith(CUT), shown);
      assert.ok(seen.at(-1)! <= 2 * max + 320);
    }),
  );
  assert.equal(maskedStart("ann@mail.example", 3), MASK);
});

test("what stands in a field for a phone number is masked wherever else it stands", () => {
  const { value } = redacted({
    note: "call 0170555",
    amount: 10170555,
    customer: { phone: "0170555", source_id: "0170555" },
  });
  assert.deepEqual(value, { note: `call ${MASK}`, amount: 10170555, customer: { phone: MASK, source_id: MASK } });
});

test("values of headers and queries of addresses are what those who are called know, and nobody else", () => {
  const webhook = {
    target_url: "https://shop.example/hook?id=s3cret#x",
    headers: { "X-Shop": "s3cret", "X-More": ["s3cret", 5] },
    custom_headers: [{ name: "X-Shop", value: "s3cret" }],
    author: "Ann",
    shipping: "fast",
  };
  const { value, text } = redacted({ webhook });
  assert.deepEqual(
    [value.webhook.target_url, value.webhook.headers],
    [`https://shop.example/hook?${MASK}`, { "X-Shop": MASK, "X-More": [MASK, MASK] }],
  );
  assert.ok(!text.includes("s3cret"));
  assert.deepEqual([value.webhook.author, value.webhook.shipping], ["Ann", "fast"]);
});

test("what a field for a phone number holds is masked whatever it is: a number, a list, an object, a filter", () => {
  const number = fc.integer({ min: 10_000, max: 999_999_999_999 });
  const held = fc.oneof(number, number.map(String)).chain((one) =>
    fc
      .constantFrom<unknown>(one, [one], { number: one }, [{ number: one }], { conditions: { $is: [one] } })
      .map((value) => ({
        one,
        value,
      })),
  );
  fc.assert(
    fc.property(fc.constantFrom("phone", "phones", "mobile_number", "email"), held, (field, { one, value }) => {
      const { text } = redacted({ before: one, note: `call ${one}`, a: { [field]: value }, after: one });
      assert.ok(!text.includes(String(one)), text);
    }),
  );
  assert.deepEqual(redacted({ phones: [{ number: "0170555" }], amount: 5 }).value, {
    ...{ phones: [{ number: MASK }], amount: 5 },
  });
});

test("whoever sends very many phone numbers is shown no text", () => {
  const phones = (count: number) => Array.from({ length: count }, (_, n) => `0170-${n}`);
  const some = redacted({ note: "a text", phones: phones(PERSONAL_COUNT_MAX) });
  const many = redacted({ note: "a text", short: "abc", phones: phones(PERSONAL_COUNT_MAX + 1) });
  assert.deepEqual([some.value.note, many.value.note, many.value.short], ["a text", MASK, "abc"]);
});

test("JSON in a text is masked as it is elsewhere, and names in it are found; what is cut short is not shown", () => {
  const body = { customer: { source_id: "ann", phone: "0170555", name: "Ann" }, password: "abc" };
  const masked = { customer: { source_id: "ann", phone: MASK, name: "Ann" }, password: MASK };
  for (const text of [JSON.stringify(body), JSON.stringify([body], null, 2)]) {
    const { value, names } = redacted({ body: text, note: "0170555" });
    assert.deepEqual([JSON.parse(value.body)].flat(), [masked]);
    assert.deepEqual([value.note, [...names.customers]], [MASK, ["ann"]]);
    assert.equal(redacted({ answer: text.slice(0, -3) }).value.answer, MASK);
    assert.deepEqual([...redacted({ twice: JSON.stringify({ body: text }) }).names.customers], ["ann"]);
  }
  for (const text of ["{name}", "[note] call", "{", "[x"]) assert.equal(redacted({ text }).value.text, text);
  // In a field for a phone number it is no JSON to be read, but something to be masked.
  assert.equal(redacted({ phone: '["0170555"]' }).text.includes("0170555"), false);
});

test("whoever is shown is noted: what holds more customers than are noted is left out", () => {
  const person = fc.record({ name: fc.uuid(), source_id: fc.nat(60).map((n) => `s-${n}`) });
  const entry = person.map(({ name, source_id }) => ({ note: name, customer: { name, source_id }, shop: "x" }));
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 45 }), fc.integer({ min: 1, max: 20 }), (data, max) => {
      const { text, names } = redacted({ object: "list", data, total: data.length }, "", max);
      assert.ok(names.customers.size <= max);
      for (const { customer } of data)
        if (!names.customers.has(customer.source_id)) assert.ok(!text.includes(customer.name), text);
      assert.equal(JSON.parse(text).total, data.length);
    }),
  );
  const two = { a: { customer: "ann" }, b: { customer: "bob" }, name: "Bob" };
  assert.deepEqual(redacted(two, "", 2).value, two);
  assert.equal(redacted(two, "", 1).value, CUT);
  const named = { value: { customer: ["ann", "bob"] }, about: "" };
  const { texts } = redactBodies([named, { ...named, allOrNothing: true }], noNames(1));
  assert.deepEqual(texts, ['{"customer":["ann","…"]}', null]);
});

test("a body is valid JSON of bounded length, whatever it was", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), fc.nat(3000), (value, count) => {
      const { text } = redacted({
        value,
        list: Array(count).fill(value),
        long: "\u0001".repeat(count),
        ["k".repeat(count)]: value,
      });
      assert.ok(text.length <= 3 * BODY_MAX, String(text.length));
    }),
  );
  assert.deepEqual(redacted({ a: "x".repeat(1200) }).value, { a: `${"x".repeat(1000)}…` });
  assert.equal(redacted(Array.from({ length: 80 }, (_, n) => n)).value.length, 51);
  assert.equal(redacted(JSON.parse(`${"[".repeat(60)}1${"]".repeat(60)}`)).text.includes("…"), true);
  assert.deepEqual(Object.keys(redacted(JSON.parse('{"__proto__":{"a":1}}')).value), ["__proto__"]);
});

test("codes and customers are found where the interface names them", () => {
  const { names } = redacted({
    redeemables: [
      { object: "voucher", id: "SUMMER" },
      { object: "promotion_tier", id: "promo_1" },
    ],
    customer: { source_id: "ann", id: "cust_1" },
    order: { customer_id: "cust_2", items: [{ source_id: "shirt" }], referrer: { source_id: "bob" } },
    voucher: "V",
    also: { code: "C", note: "cust_0123456789abcdef01234567" },
    found: { object: "customer", id: "x", source_id: "eve" },
    code: 404,
  });
  assert.deepEqual([...names.codes], ["SUMMER", "promo_1", "V", "C"]);
  assert.deepEqual(
    [...names.customers],
    ["ann", "cust_1", "cust_2", "bob", "cust_0123456789abcdef01234567", "x", "eve"],
  );
  assert.deepEqual([...redacted([{ source_id: "ann" }], "customer").names.customers], ["ann"]);
  const is = (one: string) => ({ conditions: { $is: [one] } });
  const filtered = redacted({ filters: { code: is("F"), customer_id: is("ann"), source_id: is("shirt") } }).names;
  assert.deepEqual([[...filtered.codes], [...filtered.customers]], [["F"], ["ann"]]);
  assert.deepEqual([...redacted({ filters: { source_id: is("ann") } }, "customer").names.customers], ["ann"]);
  // Also behind more lines than are shown.
  const items = Array.from({ length: 200 }, (_, n) => ({ product_id: `prod_${n}`, note: "x".repeat(300) }));
  const last = { order: { items, customer: { source_id: "ann" } }, redeemables: [{ object: "voucher", id: "LAST" }] };
  const long = redacted(last);
  assert.deepEqual([[...long.names.codes], [...long.names.customers]], [["LAST"], ["ann"]]);
  assert.ok(long.text.length < BODY_MAX + 1_000 && !long.text.includes("LAST"));
  const codes = Array.from({ length: 80 }, (_, n) => `C-${n}`);
  assert.deepEqual([...redacted({ codes, after: "shown" }).names.codes], codes);
  assert.equal(redacted({ codes, after: "shown" }).value.after, "shown");
});
