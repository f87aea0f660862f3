import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { parse } from "csv-parse/sync";
import { runAsyncActions } from "../../src/jobs/run-async-actions.ts";
import { NOW, newId, testDatabase } from "../support/engine.ts";
import { assertRefused } from "../support/http.ts";
import { lockWaits } from "../support/nodes.ts";
import { testShop } from "../support/shop.ts";
import { until } from "../support/storage.ts";
import { uploadTo } from "../support/uploads.ts";

const { db } = await testDatabase();
const LATER = "2026-01-01T12:00:30.000Z";
const NO_KEYS = { "x-app-id": "", "x-app-token": "" };
const runJobs = (make = newId) => runAsyncActions.run({ db, now: () => LATER, newId: make, random: randomBytes });

async function shop(given = {}) {
  const it = await testShop(db, given);
  const start = async (line: string, content: string | Uint8Array, fields: Record<string, string> = {}) => {
    const reply = await uploadTo(it, line, content, { fields });
    assert.ok(reply.status === 200 || reply.status === 202, reply.text);
    return reply.body.async_action_id as string;
  };
  const ended = async (id: string) => {
    await runJobs();
    const action = await it.ok(`GET /v1/async-actions/${id}`);
    assert.notEqual(action.operation_status, "UNKNOWN");
    return action;
  };
  /** Uploads a file, has it imported, and gives the action. */
  const load = async (line: string, content: string | Uint8Array, fields: Record<string, string> = {}) =>
    ended(await start(line, content, fields));
  const send = async (line: string, list: unknown) => {
    const { async_action_id } = await it.ok(line, list);
    return ended(async_action_id);
  };
  const report = async ({ result }: any) => {
    const reply = await it.call(`GET ${result.reports[0]}`, undefined, NO_KEYS);
    assert.equal(reply.status, 200, reply.text);
    return reply.text;
  };
  return { ...it, start, ended, load, send, report };
}

const CUSTOMERS = "POST /v1/customers/importCSV";

test("customers from a file: made, replaced by source id, metadata typed by its schema", async () => {
  const { ok, load, project } = await shop();
  const property = (type: string, array = false) => ({ type, optional: true, array });
  await ok(`POST /management/v1/projects/${project.id}/metadata-schemas`, {
    related_object: "customer",
    properties: { level: property("number"), vip: property("boolean"), tags: property("string", true) },
  });
  await ok("POST /v1/customers", { source_id: "ann", name: "Ann", phone: "1", metadata: { level: 1, old: "x" } });
  const file = [
    "Source_id,Name,Email,Birthdate,Address_line_1,City,Address Country,level,VIP,vip,tags,note",
    'ann,Ann B.,ann@shop.example,1990-02-28,Street 1,Bonn,DE,3,yes,true,"a, b",hello',
    "bob,Bob,,,,,,,,,,",
  ].join("\n");
  const action = await load(CUSTOMERS, file);
  assert.deepEqual(action.result, {
    message: "2 customer(s) imported successfully, 0 failed.",
    done_count: 2,
    failed_count: 0,
    failed: [],
  });
  assert.deepEqual([action.type, action.status, action.operation_status], ["CUSTOMERS.IMPORT_CSV", "DONE", "SUCCESS"]);
  const { name, email, phone, birthdate, address, metadata } = await ok("GET /v1/customers/ann");
  assert.deepEqual([name, email, phone, birthdate], ["Ann B.", "ann@shop.example", undefined, "1990-02-28"]);
  assert.deepEqual(address, { line_1: "Street 1", city: "Bonn", country: "DE" });
  assert.deepEqual(metadata, { level: 3, VIP: "yes", vip: true, tags: ["a", "b"], note: "hello" });
  assert.equal((await ok("GET /v1/customers/bob")).name, "Bob");
  const told = (await ok("GET /v1/customers/bob/activity")).data.map(({ type }: any) => type);
  assert.deepEqual(told, ["customer.created"]);
});

test("a bad row stops no other: it is reported with line, column and reason, and in a file to correct and upload", async () => {
  const { ok, load, report, call } = await shop();
  const file = [
    "Source_id;Name;Birthdate;City",
    "ann;Ann;1990-02-28;Bonn",
    'bob;"Bob; the\r\nbuilder";1990-02-30;Rome',
    "",
    `eve;${"x".repeat(501)};;Paris`,
    "cut;Off",
    "dan;Dan;;Oslo",
    'zoe;"Zoe;;Oslo',
    "kim;Kim;;Riga",
  ].join("\r\n");
  const action = await load(CUSTOMERS, file);
  assert.deepEqual([action.status, action.operation_status], ["DONE", "SUCCESS"]);
  const { reports, reports_available_till, ...result } = action.result;
  assert.deepEqual(result, {
    message: "3 customer(s) imported successfully, 4 failed.",
    done_count: 3,
    failed_count: 4,
    failed: [
      { row: 2, line: 3, column: "Birthdate", source_id: "bob", reason: "must be a day such as 2027-01-31" },
      { row: 3, line: 6, column: "Name", source_id: "eve", reason: "must NOT have more than 500 characters" },
      { row: 4, line: 7, reason: "The row has 2 cells, and the header 4" },
      { row: 6, line: 9, reason: "A quotation mark is not closed" },
    ],
  });
  assert.deepEqual([reports.length, reports_available_till], [1, "2026-01-31T12:00:30.000Z"]);
  for (const name of ["ann", "dan", "kim"]) assert.equal((await ok(`GET /v1/customers/${name}`)).source_id, name);
  const failed = await report(action);
  const rows = parse(failed, { delimiter: ";", columns: true }) as Record<string, string>[];
  assert.deepEqual(
    rows.map((row) => [row.Source_id, row.City, row["import.line"], row["import.column"]]),
    [
      ["bob", "Rome", "3", "Birthdate"],
      ["eve", "Paris", "6", "Name"],
      ["cut", "", "7", ""],
      ['zoe;"Zoe;;Oslo', "", "9", ""],
    ],
  );
  // The first two corrected, and the others taken out.
  const lines = failed.split("\n");
  const corrected = [lines[0], ...lines.slice(1, 4)]
    .join("\n")
    .replace("1990-02-30", "1990-02-20")
    .replace(/x{501}/, "Eve");
  const again = await load(CUSTOMERS, corrected);
  assert.deepEqual([again.result.done_count, again.result.failed_count], [2, 0], JSON.stringify(again.result));
  const bob = await ok("GET /v1/customers/bob");
  assert.deepEqual([bob.name, bob.birthdate, bob.metadata], ["Bob; the\r\nbuilder", "1990-02-20", {}]);
  assert.equal((await ok("GET /v1/customers/eve")).name, "Eve");
  assert.equal((await call("GET /v1/customers/cut")).status, 404);
});

test("files as programs write them: marks, separators, line ends, Windows-1252, no end of the last line", async () => {
  const { ok, load } = await shop();
  const latin = (text: string) => Buffer.from(text, "latin1");
  const files: [name: string, content: string | Uint8Array, expected: string][] = [
    ["a mark of UTF-8", "\ufeffSource_id,Name\nbom,Zoë\n", "bom Zoë"],
    ["semicolons", "Source_id;Name\nsemi;A,B\n", "semi A,B"],
    ["tabs", "Source_id\tName\ntab\tTab\n", "tab Tab"],
    ["CRLF", "Source_id,Name\r\ncrlf,X\r\n", "crlf X"],
    ["CR", "Source_id,Name\rcr,X\r", "cr X"],
    ["line ends in quotation marks", 'Source_id,Name\nquoted,"a\nb ""c"""\n', 'quoted a\nb "c"'],
    ["Windows-1252", latin("Source_id,Name\nansi,M\xfcller \x80\n"), "ansi Müller €"],
    ["no last line end", "Source_id,Name\nlast,Row", "last Row"],
    ["empty lines and cells at the end", "Source_id,Name\n\nempty,X\n,\n\n", "empty X"],
    ["columns without a name", "Source_id,,Name,\nblank,1,X,2\n", "blank X"],
  ];
  for (const [name, content, expected] of files) {
    const { result } = await load(CUSTOMERS, content);
    assert.deepEqual([result.done_count, result.failed_count], [1, 0], `${name}: ${JSON.stringify(result)}`);
    const sourceId = expected.split(" ")[0]!;
    const found = await ok(`GET /v1/customers/${sourceId}`);
    assert.equal(`${sourceId} ${found.name}`, expected, name);
  }
});

test("a last row that was cut off fails, wherever that was, and the rows before it do not", async () => {
  for (const [cut, reason] of [
    ["bob,Bo", /The row has 2 cells, and the header 3/],
    ["bob", /The row has 1 cells, and the header 3/],
    ['bob,"Bo', /A quotation mark is not closed/],
    ['bob,"Bo, the', /A quotation mark is not closed/],
  ] as const) {
    const { ok, load, call } = await shop();
    const { result } = await load(CUSTOMERS, `Source_id,Name,City\nann,Ann,Bonn\n${cut}`);
    assert.deepEqual([result.done_count, result.failed_count, result.failed[0].line], [1, 1, 3], cut);
    assert.match(result.failed[0].reason, reason, cut);
    assert.equal((await ok("GET /v1/customers/ann")).address.city, "Bonn");
    assert.equal((await call("GET /v1/customers/bob")).status, 404);
  }
});

test("a file that cannot be one is refused at once, and nothing of it stays", async () => {
  const it = await shop();
  const refused: [content: string | Uint8Array, details: string | RegExp][] = [
    ["", "The file is empty"],
    [" \r\n\n", "The file is empty"],
    ["\ufeff", "The file is empty"],
    [",,\n1,2,3\n", "The file has no header"],
    ["Name,name\nA,B\n", "The file has the column name twice"],
    ["City,Address_City\nA,B\n", "The file has the column Address_City twice"],
    [Buffer.from("\ufeffSource_id,Name\nx,y\n", "utf16le"), /not CSV in UTF-8/],
    [`Source_id,"Name\n${"x,y\n".repeat(70_000)}`, /no header/],
  ];
  for (const [content, details] of refused)
    assertRefused(await uploadTo(it, CUSTOMERS, content), "invalid_payload", details);
  const needs: [line: string, details: string][] = [
    ["POST /v1/vouchers/importCSV", "The file has no column code"],
    ["POST /v1/products/importCSV", "The file has no column name"],
    ["POST /v1/skus/importCSV", "The file has no column product_id"],
  ];
  for (const [line, details] of needs)
    assertRefused(await uploadTo(it, line, "Other\nx\n"), "invalid_payload", details);
  assert.equal((await db`select 1 from files where project_id = ${it.project.id}`).length, 0);
  assert.equal((await db`select 1 from async_actions where project_id = ${it.project.id}`).length, 0);
});

test("two columns for the same field or the same key of metadata are refused, and no others", async () => {
  const { project, app, load } = await shop();
  const sent = (header: string) => uploadTo({ app, project }, CUSTOMERS, `${header}\nann,1,2\n`);
  for (const header of ["Source_id,metadata.Foo,Foo", "Source_id,Foo,metadata.Foo", "Source_id,City,address_city"])
    assertRefused(await sent(header), "invalid_payload");
  // A key that is called as a field is, and one in another case, are other keys.
  const { result } = await load(CUSTOMERS, "Source_id,name,metadata.name,foo,Foo\nann,Ann,A,1,2\n");
  assert.equal(result.failed_count, 0, JSON.stringify(result));
});

test("what an export wrote with an apostrophe is imported as it was, in cells and in the header", async () => {
  const { ok, load } = await shop();
  const { result } = await load(CUSTOMERS, `Source_id,Name,Phone,'=odd\n'@ann,'Ann',"'+48 1",'-x\n`);
  assert.equal(result.failed_count, 0, JSON.stringify(result));
  const { name, phone, metadata } = await ok("GET /v1/customers/@ann");
  assert.deepEqual([name, phone, metadata], ["'Ann'", "+48 1", { "=odd": "-x" }]);
});

test("a wrong quotation mark fails its line and takes no row with it, though the cells could be counted as right", async () => {
  const { ok, load, report } = await shop();
  const rows = ["a,Ann,1", 'b,"5"" pipe,2', 'c,"Cee",3', 'd,6" pipe,4', 'e,"E ""the"" e",5'];
  const action = await load(CUSTOMERS, ["Source_id,Name,n", ...rows].join("\n"));
  assert.deepEqual([action.result.done_count, action.result.failed_count], [4, 1]);
  const [failed] = action.result.failed;
  assert.deepEqual([failed.row, failed.line], [2, 3]);
  assert.match(failed.reason, /quotation mark inside of a quoted cell must be written twice/);
  const nameOf = async (name: string) => (await ok(`GET /v1/customers/${name}`)).name;
  assert.deepEqual(
    [await nameOf("a"), await nameOf("c"), await nameOf("d"), await nameOf("e")],
    ["Ann", "Cee", '6" pipe', 'E "the" e'],
  );
  assert.equal(parse(await report(action))[1]![0], rows[1], "the line as it was uploaded");
  const wrong = await uploadTo(await shop(), CUSTOMERS, '"Source_id"x,Name\na,b\n');
  assertRefused(wrong, "invalid_payload", /The header is wrong/);
});

test("text that no database can hold fails its row, also inside of an object", async () => {
  const { ok, load, call, project } = await shop();
  await ok(`POST /management/v1/projects/${project.id}/metadata-schemas`, {
    related_object: "customer",
    properties: { extra: { type: "object", optional: true, array: false, object_type: "unknown" } },
  });
  const extra = (json: string) => `"${json.replaceAll('"', '""')}"`;
  const rows = [
    `a,${extra('{"x": 1}')}`,
    `b,${extra('{"x": "\\u0000"}')}`,
    `c,${extra('{"x": ["\\udc00"]}')}`,
    "d,{'x': 2}",
  ];
  const { result } = await load(CUSTOMERS, ["Source_id,extra", ...rows].join("\n"));
  assert.deepEqual(
    result.failed.map(({ line, column, reason }: any) => [line, column, reason]),
    [
      [3, "extra", "Property .x must not hold U+0000"],
      [4, "extra", "Property .x[0] must be well-formed Unicode"],
    ],
  );
  assert.deepEqual(
    [(await ok("GET /v1/customers/a")).metadata, (await ok("GET /v1/customers/d")).metadata],
    [{ extra: { x: 1 } }, { extra: { x: 2 } }],
  );
  const odd = await uploadTo({ ...(await shop()) }, CUSTOMERS, "Source_id,metadata.__proto__\na,b\n");
  assertRefused(odd, "invalid_payload", /__proto__/);
  assert.equal((await call("GET /v1/customers/b")).status, 404);
});

test("metadata of a row is no larger than metadata may be, in files of every kind and for what is there too", async () => {
  const { ok, load } = await shop();
  await ok("POST /v1/products", { source_id: "mug", name: "Mug" });
  await ok("POST /v1/campaigns", {
    name: "C",
    campaign_type: "DISCOUNT_COUPONS",
    voucher: { discount: { type: "PERCENT", percent_off: 1 } },
  });
  const kinds: [line: string, header: string, small: string, large: string, isUpdated: boolean][] = [
    [CUSTOMERS, "Source_id", "ann", "bob", true],
    ["POST /v1/products/importCSV", "name,source_id", "Cup,cup", "Pot,pot", false],
    ["POST /v1/skus/importCSV", "product_id,source_id", "mug,s1", "mug,s2", false],
    [
      "POST /v1/vouchers/importCSV",
      "Code,Voucher Type,Value,Discount Type",
      "A,DISCOUNT_VOUCHER,1,PERCENT",
      "B,DISCOUNT_VOUCHER,1,PERCENT",
      true,
    ],
    ["POST /v1/campaigns/C/importCSV", "Code", "CA", "CB", true],
  ];
  const text = "x".repeat(9_000);
  for (const [line, header, small, large, isUpdated] of kinds) {
    const rows = [
      `${small},a,,,`,
      `${large},${text},${text},${text},${text}`,
      ...(isUpdated ? [`${small},${text},${text},${text},${text}`] : []),
    ];
    const { result } = await load(line, [`${header},m1,m2,m3,m4`, ...rows].join("\n"));
    assert.deepEqual(
      [line, result.done_count, result.failed_count],
      [line, 1, rows.length - 1],
      JSON.stringify(result),
    );
    for (const { reason } of result.failed) assert.match(reason, /32768 bytes/);
  }
});

test("a row that only the database does not take is refused alone, in imports and in bulk updates", async () => {
  const { ok, load, send, call } = await shop();
  await db`alter table products add constraint planted check (name not like 'bad%')`;
  try {
    const names = Array.from({ length: 40 }, (_, n) => (n === 7 || n === 33 ? `bad ${n}` : `good ${n}`));
    const file = ["name,source_id", ...names.map((name, n) => `${name},p${n}`)].join("\n");
    for (const dry_run of ["true", "false"]) {
      const { result } = await load("POST /v1/products/importCSV", file, { dry_run });
      assert.deepEqual([result.done_count, result.failed.map(({ source_id }: any) => source_id)], [38, ["p7", "p33"]]);
      assert.match(result.failed[0].reason, /The database does not take it: .*planted/);
    }
    assert.equal((await ok("GET /v1/products?limit=1")).total, 38);
    assert.equal((await call("GET /v1/products/p7")).status, 404);
    const { result } = await send("POST /v1/products/bulk/async", [
      { source_id: "p1", name: "good one" },
      { source_id: "p2", name: "bad two" },
    ]);
    assert.deepEqual([result.done_count, result.errors.map(({ source_id }: any) => source_id)], [1, ["p2"]]);
    assert.equal((await ok("GET /v1/products/p1")).name, "good one");
    assert.equal((await ok("GET /v1/products/p2")).name, "good 2");
  } finally {
    await db`alter table products drop constraint planted`;
  }
});

test("a dry run tells what would happen, and changes nothing", async () => {
  const { ok, load, call } = await shop();
  await ok("POST /v1/customers", { source_id: "ann", name: "Ann" });
  const file = "Source_id,Name,Birthdate\nann,Anna,\nbob,Bob,\neve,Eve,never\n";
  for (const [line, fields] of [
    [`${CUSTOMERS}?dry_run=true`, {}],
    [CUSTOMERS, { dry_run: "true" }],
  ] as const) {
    const { result } = await load(line, file, fields);
    assert.equal(result.message, "2 customer(s) would be imported, 1 failed.");
    assert.equal(result.failed[0].column, "Birthdate");
  }
  assert.equal((await ok("GET /v1/customers/ann")).name, "Ann");
  assert.equal((await call("GET /v1/customers/bob")).status, 404);
  const list = [{ code: "DRY", discount: { type: "PERCENT", percent_off: 5 }, category: "Dry" }];
  const { async_action_id } = await ok("POST /v1/vouchers/import?dry_run=true", list);
  await runJobs();
  assert.equal((await ok(`GET /v1/async-actions/${async_action_id}`)).result.done_count, 1);
  assert.equal((await call("GET /v1/vouchers/DRY")).status, 404);
  assert.equal((await ok("GET /v1/categories")).total, 0);
});

const HEADER =
  "Code,Voucher Type,Value,Discount Type,Category,Start Date,Expiration Date,Redemption Limit,Redeemed Quantity,Redeemed Amount,Active,Additional Info,season";

test("codes from a file: made with their values, and what was redeemed of them; those that are there are updated", async () => {
  const { ok, load } = await shop();
  await ok("POST /v1/vouchers", { code: "Old", discount: { type: "AMOUNT", amount_off: 100 }, metadata: { a: 1 } });
  const action = await load(
    "POST /v1/vouchers/importCSV",
    [
      HEADER,
      "P10,DISCOUNT_VOUCHER,10,PERCENT,Spring,2026-02-01,2026-03-01T10,5,2,,true,For friends,winter",
      "A15,discount voucher,15.50,AMOUNT,,,,,,,false,,",
      "A16,DISCOUNT_VOUCHER,15.50,AMOUNT,,,,,,,false,,",
      "G50,GIFT_VOUCHER,50,,,,,,1,12.34,,,",
      "old,DISCOUNT_VOUCHER,2.00,AMOUNT,Spring,,,7,9,,false,,summer",
      "OLD,DISCOUNT_VOUCHER,5,PERCENT,,,,,,,,,",
      "NOTYPE,,5,PERCENT,,,,,,,,,",
      "L1,LOYALTY_CARD,5,,,,,,,,,,",
      "G51,GIFT_VOUCHER,5,,,,,,,6.00,,,",
      "P10,DISCOUNT_VOUCHER,12,PERCENT,,,,,,,,,",
    ].join("\n"),
  );
  const { result } = action;
  assert.equal(result.message, "5 voucher(s) imported successfully, 5 failed.", JSON.stringify(result));
  assert.deepEqual(
    result.failed.map(({ code, column }: any) => [code, column]),
    [
      ["A15", "Voucher Type"],
      ["OLD", undefined],
      ["NOTYPE", "voucher_type"],
      ["L1", "Voucher Type"],
      ["G51", undefined],
    ],
  );
  const p10 = await ok("GET /v1/vouchers/P10");
  assert.deepEqual(
    [p10.type, p10.discount, p10.category, p10.start_date, p10.expiration_date, p10.active, p10.campaign_id],
    [
      ...["DISCOUNT_VOUCHER", { type: "PERCENT", percent_off: 12 }, "Spring"],
      ...["2026-02-01T00:00:00.000Z", "2026-03-01T10:00:00.000Z", true, null],
    ],
    "a later row changes the code that an earlier one made, as if it had been there",
  );
  assert.deepEqual([p10.redemption.redeemed_quantity, p10.metadata], [2, { season: "winter" }]);
  const a16 = await ok("GET /v1/vouchers/A16");
  assert.deepEqual([a16.discount.amount_off, a16.active], [1550, false]);
  const g50 = await ok("GET /v1/vouchers/G50");
  assert.deepEqual(
    [g50.gift.amount, g50.gift.balance, g50.redemption.redeemed_amount, g50.redemption.redeemed_quantity],
    [5000, 3766, 1234, 1],
  );
  const old = await ok("GET /v1/vouchers/Old");
  assert.deepEqual(
    [old.discount.amount_off, old.redemption.quantity, old.redemption.redeemed_quantity, old.active, old.category],
    [200, 7, 0, false, "Spring"],
  );
  assert.deepEqual(old.metadata, { a: 1, season: "summer" });
  const redeemed = await ok("POST /v1/redemptions", {
    redeemables: [{ object: "voucher", id: "G50", gift: { credits: 766 } }],
    order: { amount: 10_000 },
  });
  assert.equal(redeemed.redemptions[0].result, "SUCCESS");
  assert.equal((await ok("GET /v1/vouchers/G50")).gift.balance, 3000);
});

test("a file that says nothing of what codes are worth updates those that are there, and makes none", async () => {
  const { ok, call, load } = await shop();
  await ok("POST /v1/vouchers", { code: "D", discount: { type: "PERCENT", percent_off: 5 } });
  await ok("POST /v1/vouchers", { code: "G", type: "GIFT_VOUCHER", gift: { amount: 700 } });
  const lines = ["Code,Voucher Type,Active", "D,DISCOUNT_VOUCHER,false", "G,GIFT_VOUCHER,false", "N,GIFT_VOUCHER,true"];
  const { result } = await load("POST /v1/vouchers/importCSV", lines.join("\n"));
  assert.equal(result.message, "2 voucher(s) imported successfully, 1 failed.");
  assert.deepEqual([result.failed[0].code, result.failed[0].line], ["N", 4]);
  const [d, g] = [await ok("GET /v1/vouchers/D"), await ok("GET /v1/vouchers/G")];
  assert.deepEqual([d.active, d.discount.percent_off, g.active, g.gift.amount], [false, 5, false, 700]);
  assert.equal((await call("GET /v1/vouchers/N")).status, 404);
});

test("codes of a campaign from a file: worth what it says, columns of other codes ignored, none taken from elsewhere", async () => {
  const { ok, load, start, call, app, project } = await shop();
  const voucher = { type: "GIFT_VOUCHER", gift: { amount: 1000 } };
  const gifts = await ok("POST /v1/campaigns", { name: "Gifts", campaign_type: "GIFT_VOUCHERS", voucher });
  await ok("POST /v1/vouchers", { code: "ELSEWHERE", gift: { amount: 1 } });
  const line = `POST /v1/campaigns/${gifts.id}/importCSV`;
  const file = [
    "Code,Voucher Type,Value,Discount Type,Category,Active,Gift Amount,Redeemed Amount,Redeemed Quantity,Start Date",
    "G1,DISCOUNT_VOUCHER,20,PERCENT,,true,,,,",
    "G2,,,,Xmas,false,25.00,5,2,2026-01-02",
    "ELSEWHERE,,,,,,,,,",
  ].join("\n");
  const { result, type } = await load(line, file);
  assert.deepEqual([type, result.done_count, result.failed_count], ["CAMPAIGN.VOUCHERS_IMPORT_CSV", 2, 1]);
  assert.match(result.failed[0].reason, /Duplicated voucher/);
  const g1 = await ok("GET /v1/vouchers/G1");
  assert.deepEqual([g1.campaign, g1.gift.balance, g1.discount], ["Gifts", 1000, null]);
  const g2 = await ok("GET /v1/vouchers/G2");
  assert.deepEqual(
    [g2.gift.amount, g2.gift.balance, g2.redemption.redeemed_quantity, g2.active, g2.category, g2.start_date],
    [2500, 2000, 2, false, "Xmas", "2026-01-02T00:00:00.000Z"],
  );
  assert.equal((await ok(`GET /v1/campaigns/${gifts.id}`)).vouchers_count, 2);
  await load(line, "Code,Active\nG1,false\n");
  assert.equal((await ok("GET /v1/vouchers/G1")).active, false);
  assert.equal((await ok(`GET /v1/campaigns/${gifts.id}`)).vouchers_count, 2);

  assertRefused(await uploadTo({ app, project }, "POST /v1/campaigns/camp_none/importCSV", file), "not_found");
  const promotion = await ok("POST /v1/campaigns", { name: "Promo", campaign_type: "PROMOTION" });
  const none = await uploadTo({ app, project }, `POST /v1/campaigns/${promotion.id}/importCSV`, file);
  assertRefused(none, "invalid_campaign");
  assertRefused(await call(`POST /v1/campaigns/${promotion.id}/import`, [{ code: "X" }]), "invalid_campaign");
  const id = await start(line, "Code\nLATE\n");
  await ok(`DELETE /v1/campaigns/${gifts.id}`);
  await runJobs();
  assert.equal((await ok(`GET /v1/async-actions/${id}`)).operation_status, "FAILED");
});

test("codes from a list: unknown fields dropped, those that are there refused, each entry for itself", async () => {
  const { ok, send, call } = await shop();
  await ok("POST /v1/vouchers", { code: "THERE", discount: { type: "PERCENT", percent_off: 1 } });
  const discount = { type: "AMOUNT", amount_off: 300 };
  const { result, type, status } = await send("POST /v1/vouchers/import", [
    {
      code: "J1",
      type: "DISCOUNT_VOUCHER",
      discount,
      redemption: { quantity: 3 },
      category: "C",
      nonsense: 1,
      active: false,
    },
    { code: "J2", gift: { amount: 700 }, metadata: { a: 1 } },
    { code: "there", discount },
    { code: "J1", discount },
    { code: "J3" },
    { discount },
    { code: "J4", discount: { type: "PERCENT", percent_off: "x" } },
    { code: "J5", discount: { type: "UNIT", effect: "ADD_MISSING_ITEMS", unit_off: 1, unit_type: "prod_none" } },
  ]);
  assert.deepEqual([type, status, result.done_count, result.failed_count], ["VOUCHERS.IMPORT", "DONE", 2, 6]);
  assert.deepEqual(
    result.failed.map(({ row, code }: any) => [row, code]),
    [
      [3, "there"],
      [4, "J1"],
      [5, "J3"],
      [6, undefined],
      [7, "J4"],
      [8, "J5"],
    ],
  );
  const j1 = await ok("GET /v1/vouchers/J1");
  assert.deepEqual(
    [j1.discount, j1.redemption.quantity, j1.category, j1.active, j1.campaign, j1.campaign_id],
    [discount, 3, "C", false, null, null],
  );
  assert.deepEqual((await ok("GET /v1/vouchers/J2")).metadata, { a: 1 });
  const campaign = await ok("POST /v1/campaigns", {
    name: "Coupons",
    campaign_type: "DISCOUNT_COUPONS",
    voucher: { type: "DISCOUNT_VOUCHER", discount },
  });
  const imported = await send(`POST /v1/campaigns/${campaign.id}/import`, [
    { code: "C1" },
    { code: "C2", discount: { type: "AMOUNT", amount_off: 400 } },
    { code: "C3", gift: { amount: 1 } },
  ]);
  assert.deepEqual(
    [imported.type, imported.result.done_count, imported.result.failed[0].code],
    ["CAMPAIGN.VOUCHERS_IMPORT", 2, "C3"],
  );
  assert.deepEqual((await ok("GET /v1/vouchers/C1")).discount, discount);
  assert.equal((await ok("GET /v1/vouchers/C2")).discount.amount_off, 400);
  for (const body of [{}, [], null]) {
    assertRefused(await call("POST /v1/vouchers/import", body), "invalid_payload");
    assertRefused(await call("POST /v1/orders/import", body), "invalid_payload");
  }
});

test("webhooks_enable tells of each code, also of one that nothing changed of; without it nothing is told", async () => {
  const { load, project } = await shop();
  const events = () => db`
    select kind, payload->'voucher'->>'code' as code from events
    where project_id = ${project.id} and kind like 'voucher.%' order by id`;
  const file = `${HEADER}\nW1,DISCOUNT_VOUCHER,10,PERCENT,,,,,,,,,\n`;
  await load("POST /v1/vouchers/importCSV", file);
  assert.deepEqual([...(await events())], []);
  await load("POST /v1/vouchers/importCSV", `${file}W2,DISCOUNT_VOUCHER,10,PERCENT,,,,,,,,,\n`, {
    webhooks_enable: "true",
  });
  assert.deepEqual((await events()).map(({ kind, code }) => `${kind} ${code}`).sort(), [
    "voucher.created W2",
    "voucher.updated W1",
  ]);
});

test("products and SKUs from files: prices in the unit of the currency; of those that are there little changes", async () => {
  const { ok, load } = await shop();
  const old = await ok("POST /v1/products", { source_id: "mug", name: "Mug", price: 800 });
  const products = await load(
    "POST /v1/products/importCSV",
    [
      "name,source_id,price,attributes,image_url,material",
      'T-shirt,tee,21,"size,color",https://shop.example/tee.png,cotton',
      "Large mug,mug,99,,,steel",
      "Nameless,cap,1.5x,,,",
      ",hat,1,,,",
      "Without a key,,3.5,,,",
    ].join("\n"),
  );
  assert.equal(products.type, "PRODUCTS.IMPORT_CSV");
  assert.equal(products.result.message, "3 product(s) imported successfully, 2 failed.");
  assert.deepEqual(
    products.result.failed.map(({ row, column }: any) => [row, column]),
    [
      [3, "price"],
      [4, "name"],
    ],
  );
  const tee = await ok("GET /v1/products/tee");
  assert.deepEqual(
    [tee.name, tee.price, tee.attributes, tee.image_url, tee.metadata],
    ["T-shirt", 2100, ["size", "color"], "https://shop.example/tee.png", { material: "cotton" }],
  );
  const mug = await ok("GET /v1/products/mug");
  assert.deepEqual(mug, { ...old, name: "Large mug", updated_at: LATER });
  const skus = await load(
    "POST /v1/skus/importCSV",
    [
      "product_id,sku,source_id,price,image_url,attributes,fit",
      `tee,Red S,tee-s,21.5,,"{'color':'red','size':'S'}",slim`,
      `${tee.id},Red M,tee-m,22,,"{""color"":""red""}",`,
      "tee,Red S!,tee-s,23,,,wide",
      "none,X,x,1,,,",
      `tee,X,y,1,,"{""weight"":1}",`,
      "mug,Stolen,tee-m,1,,,",
    ].join("\n"),
  );
  assert.equal(skus.type, "SKUS.IMPORT_CSV");
  assert.equal(skus.result.message, "3 sku(s) imported successfully, 3 failed.", JSON.stringify(skus.result));
  const small = await ok("GET /v1/skus/tee-s");
  assert.deepEqual(
    [small.sku, small.price, small.attributes, small.metadata, small.product_id],
    ["Red S!", 2300, { color: "red", size: "S" }, { fit: "slim" }, tee.id],
  );
});

test("orders from a list: no events and no points for them, but segments of their customers, and what those earn", async () => {
  const { ok, send, call, project } = await shop();
  const filter = { junction: "and", "summary.orders.total_amount": { conditions: { $more_than: [5000] } } };
  const segment = await ok("POST /v1/segments", { name: "Spenders", type: "auto-update", filter });
  await ok("POST /v1/products", { source_id: "mug", name: "Mug", price: 800 });
  await ok("POST /v1/customers", { source_id: "ann" });
  const { result, type } = await send("POST /v1/orders/import", [
    {
      source_id: "o1",
      status: "PAID",
      amount: 6000,
      customer: { source_id: "ann" },
      created_at: "2020-01-01T00:00:00Z",
    },
    {
      source_id: "o2",
      status: "FULFILLED",
      items: [{ source_id: "mug", related_object: "product", quantity: 2 }],
      customer: { source_id: "new", name: "New" },
    },
    { source_id: "o2", metadata: { a: 1 } },
    { source_id: "o3", status: "PAID", amount: 1, customer: "ann", referrer: { source_id: "friend" } },
    { id: "ord_none", amount: 1 },
    { source_id: "o4", amount: "much" },
    { source_id: "o5", amount: 5, customer: { id: "cust_none" } },
    { amount: 7 },
  ]);
  assert.deepEqual([type, result.message], ["ORDERS.IMPORT", "5 order(s) imported successfully, 3 failed."]);
  assert.deepEqual(
    result.failed.map(({ row, source_id }: any) => [row, source_id]),
    [
      [5, undefined],
      [6, "o4"],
      [7, "o5"],
    ],
  );
  const o1 = await ok("GET /v1/orders/o1");
  assert.deepEqual([o1.status, o1.amount, o1.created_at], ["PAID", 6000, LATER]);
  const o2 = await ok("GET /v1/orders/o2");
  assert.deepEqual([o2.amount, o2.status, o2.metadata, o2.updated_at], [1600, "FULFILLED", { a: 1 }, null]);
  assert.equal((await ok("GET /v1/customers/ann")).summary.orders.total_amount, 6001);
  assert.equal((await ok("GET /v1/customers/new")).name, "New");
  assert.equal((await ok(`GET /v1/customers?segment_id=${segment.id}`)).total, 1);
  const told = (await ok("GET /v1/customers/ann/activity")).data.map(({ type: kind }: any) => kind);
  assert.deepEqual(told.sort(), ["customer.created", "customer.segment.entered"]);
  const many = Array.from({ length: 2_001 }, () => ({ amount: 1 }));
  assertRefused(await call("POST /v1/orders/import", many), "invalid_payload", /2000/);
  const changed = await send("POST /v1/orders/import", [{ source_id: "o1", status: "CANCELED" }]);
  assert.equal(changed.result.done_count, 1);
  assert.equal((await ok("GET /v1/orders/o1")).status, "CANCELED");
  assert.equal((await ok(`GET /v1/customers?segment_id=${segment.id}`)).total, 0, "left again");
  assert.equal(
    (await db`select 1 from events where project_id = ${project.id} and kind like 'customer.order.%'`).length,
    0,
  );
});

test("an order that would take the source id of another is refused alone; one that is given up is free at once", async () => {
  const { ok, send } = await shop();
  const [one, two] = [
    await ok("POST /v1/orders", { source_id: "one", amount: 1 }),
    await ok("POST /v1/orders", { source_id: "two", amount: 2 }),
  ];
  const { result } = await send("POST /v1/orders/import", [
    { id: one.id, source_id: "two", amount: 10 },
    { source_id: "three", amount: 3 },
    { id: one.id, source_id: "three" },
    { id: one.id, amount: 11 },
    { id: one.id, source_id: "uno" },
    { id: two.id, source_id: "one", amount: 12 },
    { source_id: "two", amount: 22 },
  ]);
  assert.deepEqual(
    result.failed.map(({ row, reason }: any) => [row, reason]),
    [
      [1, "Duplicated order exists with source_id two"],
      [3, "Duplicated order exists with source_id three"],
    ],
  );
  assert.equal(result.done_count, 5);
  const shown = async (name: string) => {
    const { id, amount } = await ok(`GET /v1/orders/${name}`);
    return [id, amount];
  };
  assert.deepEqual(
    [await shown("uno"), await shown("one")],
    [
      [one.id, 11],
      [two.id, 12],
    ],
  );
  const [id, amount] = await shown("two");
  assert.deepEqual([[one.id, two.id].includes(id), amount], [false, 22]);
});

test("imports of orders are done one after the other", async () => {
  const { ok, project } = await shop();
  const first = await ok("POST /v1/orders/import", [{ source_id: "o", status: "CREATED", amount: 1 }]);
  const second = await ok("POST /v1/orders/import", [{ source_id: "o", amount: 2 }]);
  await db.begin(async (tx) => {
    await tx`
      select 1 from async_actions where project_id = ${project.id} and id = ${first.async_action_id} for update`;
    await runJobs();
    assert.equal((await ok(`GET /v1/async-actions/${second.async_action_id}`)).status, "ENQUEUED");
  });
  await runJobs();
  assert.deepEqual([(await ok("GET /v1/orders/o")).amount, (await ok("GET /v1/orders/o")).status], [2, "CREATED"]);
});

test("a turn that fails is done again as a whole: no row is applied twice, and none is lost", async () => {
  const { ok, start } = await shop();
  const rows = Array.from(
    { length: 6_000 },
    (_, n) => `C${n},DISCOUNT_VOUCHER,10,${n % 500 === 7 ? "NONE" : "PERCENT"}`,
  );
  const id = await start("POST /v1/vouchers/importCSV", `Code,Voucher Type,Value,Discount Type\n${rows.join("\n")}`);
  let left = 3_700;
  const crashing = (prefix: string) => {
    left -= 1;
    if (left < 0) throw new Error("planted");
    return newId(prefix);
  };
  await assert.rejects(runJobs(crashing), /planted/);
  const half = await ok(`GET /v1/async-actions/${id}`);
  assert.equal(half.status, "IN_PROGRESS");
  assert.ok(half.progress > 0 && half.progress < 100);
  await runJobs();
  const { result } = await ok(`GET /v1/async-actions/${id}`);
  assert.deepEqual([result.done_count, result.failed_count], [5_988, 12]);
  assert.deepEqual(
    result.failed.map(({ line }: any) => line),
    Array.from({ length: 12 }, (_, n) => 9 + 500 * n),
  );
  assert.equal((await ok("GET /v1/vouchers?limit=1")).total, 5_988);
});

test("what an upload leaves: the file goes with the import, who is erased ends one that is under way", async () => {
  const { ok, load, start, project } = await shop();
  const files = () => db`select kind from files where project_id = ${project.id} and expires_at > ${LATER}`;
  await load(CUSTOMERS, "Source_id\nann\n");
  assert.equal((await files()).length, 0);
  const id = await start(CUSTOMERS, "Source_id,Name\nbob,Bob\n");
  assert.equal((await files()).length, 1);
  await ok("POST /v1/customers/ann/permanent-deletion");
  await runJobs();
  const action = await ok(`GET /v1/async-actions/${id}`);
  assert.equal(action.operation_status, "FAILED");
  assert.match(action.result.message, /The uploaded file is gone.* from line 2 on/);
});

test("who is erased while an import waits for them is not made again, whichever of the two came first", async () => {
  for (const uploadedWhen of ["before the erasure", "during it"]) {
    const { ok, call, start, project } = await shop();
    await ok("POST /v1/customers", { source_id: "ann" });
    await ok("POST /v1/orders", { source_id: "o", amount: 1, customer: { source_id: "ann" } });
    const upload = () => start(CUSTOMERS, "Source_id,Name\nann,Ann\nbob\n");
    let id = uploadedWhen === "during it" ? "" : await upload();
    const waiting = (count: number) => async () => (await lockWaits(db)) >= count;
    const done = await db.begin(async (tx) => {
      await tx`select 1 from orders where project_id = ${project.id} for update`;
      const erasing = ok("POST /v1/customers/ann/permanent-deletion");
      erasing.catch(() => {});
      await until("the erasure has come to the orders", waiting(1));
      if (id === "") id = await upload();
      let isOver = false;
      const working = runJobs().finally(() => {
        isOver = true;
      });
      await until("the import waits, or was put off", async () => isOver || (await waiting(2)()));
      return { erasing, working };
    });
    await Promise.all([done.erasing, done.working]);
    await runJobs();
    const { operation_status, result } = await ok(`GET /v1/async-actions/${id}`);
    assert.equal(operation_status, "FAILED", uploadedWhen);
    assert.match(result.message, /The uploaded file is gone/);
    assert.equal((await call("GET /v1/customers/ann")).status, 404, uploadedWhen);
  }
});

test("a failed row that is longer than the header loses none of its cells", async () => {
  const { load, report } = await shop();
  const action = await load(CUSTOMERS, "Source_id,Name\nann,Ann,more,and more\nbob,Bob\n");
  assert.equal(action.result.failed_count, 1);
  const [head, row] = parse(await report(action), { relax_column_count: true });
  assert.deepEqual(head, ["Source_id", "Name", "import.line", "import.column", "import.reason"]);
  assert.deepEqual(row, ["ann", "Ann", "2", "", "The row has 4 cells, and the header 2", "more", "and more"]);
});

test("customers can be made while a turn of an import makes some, each in a moment of its own", async () => {
  const { ok, call, start, project } = await shop();
  const lines = Array.from({ length: 5 }, (_, n) => `new-${n},New`);
  const id = await start(CUSTOMERS, ["Source_id,Name", ...lines].join("\n"));
  const working = await db.begin(async (tx) => {
    const held = {
      project_id: project.id,
      id: "cust_held",
      source_id: "new-3",
      address: {},
      metadata: {},
      created_at: NOW,
    };
    await tx`insert into customers ${tx(held as never)}`;
    const turn = runJobs();
    turn.catch(() => {});
    await until("the turn waits for somebody of that name", async () => (await lockWaits(db)) > 0);
    const reply = await call("POST /v1/customers", { source_id: "other" });
    assert.equal(reply.status, 200, reply.text);
    await tx`delete from customers where project_id = ${project.id} and id = 'cust_held'`;
    return { turn };
  });
  await working.turn;
  assert.equal((await ok(`GET /v1/async-actions/${id}`)).result.done_count, 5);
  const [counts] = await db`
    select count(*) as all, count(distinct created_at) as moments from customers where project_id = ${project.id}`;
  assert.deepEqual(counts, { all: 6, moments: 6 });
  await ok("POST /v1/customers", { source_id: "last" });
  const [after] = await db`
    select count(distinct created_at) as moments from customers where project_id = ${project.id}`;
  assert.deepEqual(after, { moments: 7 });
});

test("a category that an import makes is in the audit log, under who uploaded the file", async () => {
  const { ok, load, project } = await shop();
  const rows = ["A,DISCOUNT_VOUCHER,1,PERCENT,Summer", "B,DISCOUNT_VOUCHER,1,PERCENT,Summer"];
  const file = ["Code,Voucher Type,Value,Discount Type,Category", ...rows].join("\n");
  await load("POST /v1/vouchers/importCSV", file, { dry_run: "true" });
  assert.deepEqual((await ok("GET /v1/audit-log?kind=category")).data, []);
  const action = await load("POST /v1/vouchers/importCSV", file);
  const { data } = await ok("GET /v1/audit-log?kind=category");
  assert.equal(data.length, 1);
  const entry = await ok(`GET /v1/audit-log/${data[0].id}`);
  assert.deepEqual([entry.action, entry.after.name, entry.version_after], ["CREATED", "Summer", 1]);
  assert.deepEqual(entry.actor, { type: "server_key", id: project.app.id, name: "default" });
  assert.deepEqual([entry.operation, entry.request_id], ["VOUCHERS.IMPORT_CSV", action.request_id]);
});

test("codes of a file are listed in the order of its rows, and one that lies in the bin is refused alone", async () => {
  const { ok, load } = await shop();
  await ok("POST /v1/vouchers", { code: "BINNED", discount: { type: "PERCENT", percent_off: 1 } });
  await ok("DELETE /v1/vouchers/BINNED");
  const row = (code: string) => `${code},DISCOUNT_VOUCHER,10,PERCENT`;
  const head = "Code,Voucher Type,Value,Discount Type";
  const codes = ["ZULU", "ALPHA", "MIKE"];
  await load("POST /v1/vouchers/importCSV", [head, ...codes.map(row)].join("\n"));
  const listed = async () => (await ok("GET /v1/vouchers?order=created_at")).vouchers.map(({ code }: any) => code);
  assert.deepEqual(await listed(), codes);
  const { result } = await load(
    "POST /v1/vouchers/importCSV",
    [head, row("YANKEE"), row("binned"), row("BRAVO"), row("Binned")].join("\n"),
  );
  assert.deepEqual([result.done_count, result.failed.map(({ code }: any) => code)], [2, ["binned", "Binned"]]);
  assert.deepEqual(await listed(), [...codes, "YANKEE", "BRAVO"]);
});
