import type { Catalog } from "../../catalog/catalog.ts";
import { trimCode } from "../../core/codes/code.ts";
import type { Tx } from "../../db/db.ts";
import { together } from "../../db/together.ts";
import { idsOfNamed } from "../../resources/customers/customers/store.ts";
import { cardsByCode } from "../../resources/loyalty-v2/cards/store.ts";
import { loadMembersById } from "../../resources/loyalty-v2/members/store.ts";
import { findVouchers } from "../../resources/promotions/vouchers/store.ts";
import { openCustomers } from "../../steps/customers/customers.ts";
import { aheadFor, type EarningAhead, lockAhead } from "../../steps/earning/earning-ahead.ts";
import { referrersOf } from "../../steps/referrals/referrals.ts";
import type { CardNamed, TrackCommand, TrackState } from "./state.ts";

/** Locks the customers of a batch and of the referral codes that it names, and reads the cards that it names. */
export async function loadState(tx: Tx, projectId: string, commands: readonly TrackCommand[]): Promise<TrackState> {
  const { project, catalog } = commands.reduce((newest, command) =>
    command.project.catalog_revision > newest.project.catalog_revision ? command : newest,
  );
  const codes = commands.flatMap(({ sent }) => (sent.referral ? trimCode(sent.referral.code) : []));
  const shared = codes.length > 0 ? await findVouchers(tx, project, codes) : [];
  const given = commands.map(({ sent }) => sent.customer);
  const [customers, ahead] = await together([
    openCustomers(tx, projectId, given, { ids: referrersOf(catalog, shared) }),
    codes.length > 0 ? null : lockEarning(tx, projectId, catalog, commands),
  ]);
  const cardCodes = commands.flatMap(({ sent }) => sent.loyalty?.code ?? []);
  return {
    project,
    catalog,
    customers,
    cards: cardCodes.length > 0 ? await loadCards(tx, project, cardCodes) : new Map(),
    referralCodes: new Map(shared.map((row) => [row.code_folded, row])),
    ahead,
  };
}

/** What a friend brings is locked before, so it is called only where nobody comes through a referral code. */
function lockEarning(
  tx: Tx,
  projectId: string,
  catalog: Catalog,
  commands: readonly TrackCommand[],
): Promise<EarningAhead> | null {
  const earning = commands.flatMap(({ mayEarn, sent }) => {
    const schema = mayEarn ? catalog.custom_event_schemas.get(sent.event) : undefined;
    return schema ? [{ schema_id: schema.id, customer: sent.customer }] : [];
  });
  const kinds = aheadFor(
    catalog,
    earning.map(({ schema_id }) => ({ event: "customer.custom_event", schema_id })),
  );
  if (!kinds.onCampaigns && !kinds.inPrograms) return null;
  const named = earning.map(({ customer }) => customer);
  return lockAhead(tx, projectId, { ...kinds, catalog, customerIds: idsOfNamed(tx, projectId, named) });
}

/** Cards of programs, and loyalty cards that are codes of campaigns. */
async function loadCards(
  tx: Tx,
  project: TrackState["project"],
  codes: readonly string[],
): Promise<TrackState["cards"]> {
  const cards = await cardsByCode(tx, project, codes);
  const memberIds = cards.map(({ member_id }) => member_id);
  const members = await loadMembersById(tx, project.id, memberIds);
  const customerOf = new Map(members.map(({ id, customer_id }) => [id, customer_id]));
  const vouchers = await findVouchers(tx, project, codes);
  return new Map([
    ...vouchers
      .filter(({ type }) => type === "LOYALTY_CARD")
      .map((row): [string, CardNamed] => [row.code_folded, { id: row.id, customer_id: row.holder_id, voucher: row }]),
    ...cards.map(({ id, member_id, code_folded }): [string, CardNamed] => [
      code_folded,
      { id, customer_id: customerOf.get(member_id) ?? null, voucher: null },
    ]),
  ]);
}
