import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Catalog } from "../../catalog/catalog.ts";
import type { Project } from "../../request.ts";
import type { EventBody } from "../../resources/customers/events/schema.ts";
import { openCustomers } from "../../steps/customers/customers.ts";
import { planEvent, planRound, type TrackPlan } from "./plan.ts";
import type { TrackCommand, TrackState } from "./state.ts";

const NOW = "2026-03-04T10:00:00.000Z";
const PROJECT = {
  id: "proj",
  timezone: "UTC",
  secret: "s",
  case_sensitive_codes: true,
  catalog_revision: 1,
} as unknown as Project;
const SCHEMA = { id: "ms_1", name: "visited", schema: { properties: {} } };
const CONFIGURED = { custom_event_schemas: new Map([["visited", SCHEMA]]) };
const NONE = new Map<string, never>();
/** A project that knows one custom event. */
const CATALOG = new Proxy(CONFIGURED, {
  get: (known, name) => (name in known ? known[name as keyof typeof known] : NONE),
}) as unknown as Catalog;

/** Nobody is known yet. No statement is sent for it. */
const stateOf = async (): Promise<TrackState> => ({
  project: PROJECT,
  catalog: CATALOG,
  customers: await openCustomers(undefined as never, "proj", []),
  cards: new Map(),
  referralCodes: new Map(),
  ahead: null,
});

function command(name: string, sent: Partial<EventBody> = {}, more: Partial<TrackCommand> = {}): TrackCommand {
  let made = 0;
  return {
    project: PROJECT,
    catalog: CATALOG,
    now: NOW,
    request_id: name,
    newId: (prefix: string) => `${prefix}_${name}${++made}`,
    newSecret: () => "",
    claim: null,
    mayEarn: true,
    mayWrite: true,
    forCaller: (event: object) => event,
    sent: { event: "visited", customer: { source_id: "anna" }, ...sent },
    ...more,
  } as unknown as TrackCommand;
}
const kindsOf = ({ events }: TrackPlan): string[] => events.flatMap(({ happened }) => happened.map(({ kind }) => kind));
const isEmpty = ({ customer, events, triggers, referred }: TrackPlan): boolean =>
  customer === null && events.length + triggers.length + referred.length === 0;

test("a refused event does nothing but answer", async () => {
  const refused = [
    command("a", { event: "unknown" }),
    command("b", {}, { mayWrite: false }),
    command("c", { loyalty: { code: "NONE" } }),
    command("d", { referral: { code: "NONE" } }),
  ];
  for (const plan of planRound(await stateOf(), refused)) {
    assert.ok(isEmpty(plan), plan.of.request_id);
    assert.equal(plan.answer.status, 404, plan.of.request_id);
  }
});

test("planning changes nothing: the customer is there only when the plan is applied", async () => {
  const state = await stateOf();
  const plan = planEvent(state, command("a"));
  assert.deepEqual(kindsOf(plan), ["customer.created", "customer.custom_event"]);
  assert.equal(state.customers.bySource("anna"), undefined);
  planRound(state, [command("a")]).next();
  assert.equal(state.customers.bySource("anna")?.id, plan.customer!.row.id);
});

test("an event of who may not earn is recorded, and nothing follows from it", async () => {
  const [earning, other] = planRound(await stateOf(), [command("a"), command("b", {}, { mayEarn: false })]);
  assert.deepEqual(
    earning!.triggers.map(({ kind, id }) => [kind, id]),
    [["customer.custom_event", earning!.events[0]!.happened.at(-1)!.id]],
  );
  assert.deepEqual([kindsOf(other!), other!.triggers], [["customer.custom_event"], []]);
});

test("a batch does what its events do one after the other: each customer is made once, each event is told once", async () => {
  const people = fc.array(fc.constantFrom("anna", "ben", "carl"), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(people, async (names) => {
      const commandsOf = () => names.map((source_id, n) => command(`c${n}`, { customer: { source_id } }));
      const together = [...planRound(await stateOf(), commandsOf())];
      const state = await stateOf();
      const apart = commandsOf().flatMap((one) => [...planRound(state, [one])]);
      const shown = (plans: readonly TrackPlan[]) =>
        plans.map(({ answer, customer, events }) => [answer, customer, events.map(({ happened }) => happened)]);
      assert.deepEqual(shown(together), shown(apart));
      const kinds = together.flatMap(kindsOf);
      assert.equal(kinds.filter((kind) => kind === "customer.created").length, new Set(names).size);
      assert.equal(kinds.filter((kind) => kind === "customer.custom_event").length, names.length);
    }),
    { numRuns: 25 },
  );
});
