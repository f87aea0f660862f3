import assert from "node:assert/strict";
import http from "node:http";
import type { AddressInfo, LookupFunction } from "node:net";
import { after, test } from "node:test";
import { addressFault, parseNetworks } from "../../src/webhooks/addresses.ts";
import { createTransport } from "../../src/webhooks/transport.ts";

// Nothing that is not on the internet is reached, however its address is written and whatever a name leads to. A canary
// listens on every address of this machine: nothing may connect to it.
let connections = 0;
const canary = http.createServer((_, reply) => reply.end("canary"));
canary.on("connection", () => {
  connections += 1;
});
await new Promise<void>((listening) => canary.listen(0, "::", listening));
const { port } = canary.address() as AddressInfo;
after(() => canary.close());

const numbers = (a: number, b: number, c: number, d: number) => a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d;
const hex = (n: number) => n.toString(16);
/** The ways to write an address of IPv4. */
function waysOf([a, b, c, d]: readonly [number, number, number, number]): string[] {
  const n = numbers(a, b, c, d);
  return [
    `${a}.${b}.${c}.${d}`,
    `${a}.${b}.${c}.${d}.`,
    `0x${hex(a)}.0x${hex(b)}.0x${hex(c)}.0x${hex(d)}`,
    `0${a.toString(8)}.0${b.toString(8)}.0${c.toString(8)}.0${d.toString(8)}`,
    `${a}.${b}.${c * 256 + d}`,
    `${a}.${b * 65_536 + c * 256 + d}`,
    String(n),
    `0x${hex(n)}`,
    `0${n.toString(8)}`,
    `%31${String(a).slice(1)}.${b}.${c}.${d}`.replace(/^%31/, String(a)[0] === "1" ? "%31" : String(a)[0]!),
    `[::ffff:${a}.${b}.${c}.${d}]`,
    `[::ffff:${hex(a * 256 + b)}:${hex(c * 256 + d)}]`,
    `[0:0:0:0:0:ffff:${a}.${b}.${c}.${d}]`,
    `[::${a}.${b}.${c}.${d}]`,
    `[64:ff9b::${a}.${b}.${c}.${d}]`,
    `[2002:${hex(a * 256 + b)}:${hex(c * 256 + d)}::1]`,
  ];
}
const V4: readonly (readonly [number, number, number, number])[] = [
  [127, 0, 0, 1],
  [127, 255, 255, 254],
  [10, 0, 0, 1],
  [172, 16, 0, 1],
  [172, 31, 255, 254],
  [192, 168, 1, 1],
  [169, 254, 169, 254],
  [100, 64, 0, 1],
  [100, 100, 100, 200],
  [192, 0, 0, 192],
  [198, 18, 0, 1],
  [168, 63, 129, 16],
  [224, 0, 0, 1],
  [240, 0, 0, 1],
  [255, 255, 255, 255],
];
const OTHERS = [
  ...[
    "0",
    "0.0.0.0",
    "0x0",
    "127.1",
    "127.0.1",
    "0177.1",
    "0x7f.1",
    "①②⑦.⓪.⓪.①",
    "127。0。0。1",
    "localhost",
    "LOCALHOST",
  ],
  ...["localhost.", "[::]", "[::1]", "[0:0:0:0:0:0:0:1]", "[0000::0001]", "[fe80::1]", "[fc00::1]", "[fd00:ec2::254]"],
  ...["[fec0::1]", "[ff02::1]", "[2001:db8::1]", "[2001::1]", "[100::1]", "[::ffff:0:127.0.0.1]", "[64:ff9b:1::1]"],
];
const VECTORS = [...V4.flatMap(waysOf), ...OTHERS];

test(`${VECTORS.length} ways to name an address that is not on the internet reach nothing`, async (t) => {
  assert.ok(VECTORS.length >= 200, `${VECTORS.length} vectors`);
  const transport = createTransport({ allow: "none", limitMs: 2_000 });
  t.after(() => transport.close());
  for (const host of VECTORS)
    for (const scheme of ["http", "https"]) {
      const { status_code, error } = await transport.send("wh_1", {
        url: `${scheme}://${host}:${port}/`,
        headers: {},
        body: "{}",
      });
      assert.equal(status_code, null, host);
      assert.match(
        error!,
        /is not on the internet|has no address|Invalid URL|getaddrinfo|is no address/i,
        `${host}: ${error}`,
      );
    }
  assert.equal(connections, 0, "the canary was not touched");
});

/** A name server that says something else each time. */
const answers = (...addresses: string[]): LookupFunction => {
  let asked = 0;
  return (_, options, done) => {
    const address = addresses[Math.min(asked++, addresses.length - 1)]!;
    const family = address.includes(":") ? 6 : 4;
    if (options.all) done(null, [{ address, family }]);
    else done(null, address, family);
  };
};

test("a name that leads to this machine reaches nothing, whatever it led to before", async (t) => {
  for (const address of ["127.0.0.1", "::1", "::ffff:127.0.0.1", "0.0.0.0", "169.254.169.254", "fe80::1%lo"]) {
    const transport = createTransport({ allow: "none", lookup: answers(address), limitMs: 2_000 });
    t.after(() => transport.close());
    const { error } = await transport.send("wh_1", { url: `http://rebind.example:${port}/`, headers: {}, body: "{}" });
    assert.match(error!, /is not on the internet/, address);
  }
  // The first answer is good, and the second one is not: who asks twice is lost.
  const transport = createTransport({ allow: "192.0.2.1", lookup: answers("192.0.2.1", "127.0.0.1"), limitMs: 500 });
  t.after(() => transport.close());
  await transport.send("wh_1", { url: `http://rebind.example:${port}/`, headers: {}, body: "{}" });
  const { error } = await transport.send("wh_1", { url: `http://rebind.example:${port}/`, headers: {}, body: "{}" });
  assert.match(error!, /127\.0\.0\.1 is not on the internet/);
  assert.equal(connections, 0);
});

test("of the addresses of a name only those on the internet are connected to", async (t) => {
  const both: LookupFunction = (_, __, done) =>
    done(null, [
      { address: "10.0.0.1", family: 4 },
      { address: "127.0.0.1", family: 4 },
    ]);
  const open = createTransport({ allow: "loopback", lookup: both });
  t.after(() => open.close());
  const before = connections;
  assert.equal(
    (await open.send("wh_1", { url: `http://both.example:${port}/`, headers: {}, body: "{}" })).status_code,
    200,
  );
  assert.equal(connections, before + 1);
});

test("what a self-hoster opens is reached, and nothing else", async (t) => {
  const open = createTransport({ allow: "loopback" });
  t.after(() => open.close());
  for (const host of ["127.0.0.1", "localhost", "[::1]", "2130706433", "[::ffff:127.0.0.1]"])
    assert.equal(
      (await open.send("wh_1", { url: `http://${host}:${port}/`, headers: {}, body: "{}" })).status_code,
      200,
      host,
    );
  assert.match((await open.send("wh_1", { url: "http://10.0.0.1/", headers: {}, body: "{}" })).error!, /private/);
  const networks = parseNetworks("10.1.0.0/16, 192.168.1.7,fd00::/8,linklocal");
  for (const address of ["10.1.2.3", "192.168.1.7", "fd12::1", "169.254.1.1", "8.8.8.8", "2606:4700::1111"])
    assert.equal(addressFault(address, networks), null, address);
  for (const address of ["10.2.0.1", "192.168.1.8", "fc00::1", "127.0.0.1", "nonsense", ""])
    assert.notEqual(addressFault(address, networks), null, address);
});
