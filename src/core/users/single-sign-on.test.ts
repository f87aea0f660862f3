import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type AddressOwner, entranceOf, hasListedDomain, PAGE_PATH, type ProviderIdentity } from "./single-sign-on.ts";

const NOW = "2026-01-01T12:00:00.000Z";
const identity: ProviderIdentity = {
  ...{ issuer: "https://id.example", subject: "1", email: "ann@shop.example", is_verified: true },
  ...{ first_name: "Ann", last_name: "" },
};
const owners = fc.option(
  fc.record<AddressOwner>({
    id: fc.constant("user_1"),
    has_password: fc.boolean(),
    has_identity: fc.boolean(),
    invitation_until: fc.constantFrom(null, "2025-12-31T00:00:00.000Z", "2026-01-02T00:00:00.000Z"),
    is_disabled: fc.boolean(),
  }),
);
const arrivals = fc.record({
  identity: fc.record({
    ...{ issuer: fc.constant("https://id.example"), first_name: fc.constant(""), last_name: fc.constant("") },
    subject: fc.constantFrom("1", "", "\0"),
    email: fc.constantFrom(null, "ann@shop.example", "ann@elsewhere.example", "ann"),
    is_verified: fc.boolean(),
  }),
  linked: fc.option(fc.record({ id: fc.constant("user_2"), is_disabled: fc.boolean() })),
  owner: owners,
  domains: fc.constantFrom<string[]>([], ["shop.example"]),
  now: fc.constant(NOW),
});

test("nobody but who is linked comes in without a verified address", () => {
  fc.assert(
    fc.property(arrivals, (arrival) => {
      const { way } = entranceOf(arrival);
      const { linked } = arrival;
      if (linked !== null) assert.equal(way, linked.is_disabled ? "refuse" : "enter");
      else if (!arrival.identity.is_verified) assert.equal(way, "refuse");
    }),
  );
});

test("a password account is never linked without its password, an account that is linked to another never at all", () => {
  fc.assert(
    fc.property(arrivals, (arrival) => {
      const { way } = entranceOf(arrival);
      if (arrival.linked !== null || arrival.owner === null) return;
      if (arrival.owner.has_password) assert.ok(way === "prove" || way === "refuse");
      else if (arrival.owner.has_identity) assert.equal(way, "refuse");
    }),
  );
});

test("without an invitation only a listed domain lets somebody in", () => {
  fc.assert(
    fc.property(arrivals, (arrival) => {
      const entrance = entranceOf(arrival);
      const { owner, domains, identity: who } = arrival;
      if (entrance.way === "join") assert.ok(owner === null && hasListedDomain(who.email!, domains));
      if (entrance.way === "link") assert.ok(hasListedDomain(who.email!, domains) || owner!.invitation_until! > NOW);
    }),
  );
});

test("each way in", () => {
  const owner: AddressOwner = {
    id: "user_1",
    has_password: false,
    has_identity: false,
    ...{ invitation_until: null, is_disabled: false },
  };
  const arrival = { identity, linked: null, owner, domains: [], now: NOW };
  const wayOf = (more: object) => entranceOf({ ...arrival, ...more }).way;
  assert.equal(wayOf({ linked: { id: "user_2", is_disabled: false } }), "enter");
  assert.equal(wayOf({ owner: { ...owner, invitation_until: "2026-01-02T00:00:00.000Z" } }), "link");
  assert.equal(wayOf({ domains: ["shop.example"] }), "link");
  assert.equal(wayOf({ owner: { ...owner, has_password: true } }), "prove");
  assert.equal(wayOf({ owner: null, domains: ["shop.example"] }), "join");
  assert.equal(wayOf({ owner: null }), "refuse");
  assert.equal(wayOf({ owner: { ...owner, has_password: true, is_disabled: true } }), "refuse");
  assert.equal(wayOf({}), "refuse");
});

test("a domain is listed as a whole, however it is written", () => {
  assert.ok(hasListedDomain("Ann@SHOP.example", ["shop.example"]));
  for (const email of ["ann@below.shop.example", "ann@myshop.example", "shop.example", "ann@shop.example@x.example"])
    assert.ok(!hasListedDomain(email, ["shop.example"]), email);
});

test("whatever a page path is, a browser stays on this server", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("/", "\\", "a", ".", ":", "@", "\t", "\n", "?", "#") }), (path) => {
      if (!new RegExp(PAGE_PATH, "u").test(path)) return;
      assert.equal(new URL(path, "https://laurel.example/x").origin, "https://laurel.example");
    }),
  );
  assert.ok(new RegExp(PAGE_PATH, "u").test("/campaigns/camp_1?tab=codes#top"));
});
