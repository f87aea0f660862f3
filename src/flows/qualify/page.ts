import { cursorMoment } from "../../core/qualify/cursor.ts";
import type { Offer } from "../../core/qualify/offer.ts";
import { type MatchPage, offersPage } from "../../core/qualify/page.ts";
import type { Question } from "../../core/qualify/qualify.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import { spend } from "../../core/steps.ts";
import { zoneOf } from "../../core/time/zone.ts";
import { heldAt } from "../../core/validate/session-locks.ts";
import { startsOf } from "../../core/vouchers/uses.ts";
import { promotionsOf, VOUCHER_STEPS, voucherOffer } from "../../steps/checkout/offers.ts";
import { voucherRedeemable } from "../../steps/checkout/redeemables.ts";
import { type OfferFacts, type QualifyRequest, type QualifyState, sourcesOf } from "./state.ts";

/** The page of offers that a request is answered with: promotions, codes of the customer, codes for everybody. */
export function pageFor(request: QualifyRequest, question: Question, { listed, standalone }: QualifyState): MatchPage {
  const { command, cart } = request;
  const { catalog, project, paging, api_key_id, now } = command;
  const sources = sourcesOf(command);
  const zone = zoneOf(project);
  const asker = { api_key_id, customer_id: cart.customer?.id ?? null, starts: startsOf(now, zone) };
  const alone = standalone.rows.get(command) ?? [];
  const held = listed.rows.get(command)!;
  const isHeld = new Set(held.map(({ id }) => id));
  const { index, stacks } = promotionsOf(catalog, zone);
  const isMore = alone.length === standalone.size && paging.sorting === "DEFAULT";
  spend(cart.steps, VOUCHER_STEPS * (held.length + alone.length));
  return offersPage(
    {
      promotions: sources.has("tiers") || sources.has("campaigns") ? index : null,
      listed: [
        ...held.flatMap((row) => offersOf(request, listed.facts, row, row.roles)),
        ...alone.filter(({ id }) => !isHeld.has(id)).flatMap((row) => offersOf(request, standalone.facts, row, [])),
        ...(sources.has("stacks") ? stacks : []),
      ],
      listedTo: isMore ? cursorMoment(alone.at(-1)!.created_at) : null,
      // What is configured has its counters elsewhere; a code was read with its own.
      current: ({ object, redeemable }) => {
        if (object === "voucher") return redeemable;
        const { ref, campaign_id } = redeemable;
        const { use, budgets } = listed.facts;
        return {
          ...redeemable,
          counts: use.countsOf({ ref, campaign_id, row: null }, asker),
          used_units: budgets.usedBy({ ref, campaign_id }, cart.customer?.id ?? null),
        };
      },
    },
    { ...question, scenario: { ...question.scenario, sources } },
    paging,
  );
}

/** A code as it is offered to who asks; none when its campaign is gone. */
function offersOf(
  { command, cart }: QualifyRequest,
  facts: OfferFacts,
  row: VoucherRow,
  roles: readonly string[],
): Offer[] {
  const { catalog, session, now, api_key_id, project } = command;
  const known = facts.knownOf.get(row.id)!;
  const asker = { api_key_id, customer_id: cart.customer?.id ?? null, starts: startsOf(now, zoneOf(project)) };
  const counts = facts.use.countsOf({ ref: row.id, campaign_id: row.campaign_id, row }, asker);
  const held = facts.held.get(row.id);
  const usedUnits = facts.budgets.usedBy({ ref: row.id, campaign_id: row.campaign_id }, cart.customer?.id ?? null);
  const customer = { id: cart.customer?.id ?? null, email: cart.email };
  const asked = {
    credits: null,
    reward: null,
    locked: heldAt(held, { now, except: session?.key }),
    held: heldAt(held, { now }),
    customer,
  };
  const redeemable = voucherRedeemable(known, { catalog, counts, usedUnits }, asked);
  return redeemable ? [voucherOffer(known, redeemable, { catalog, roles })] : [];
}
