import { joinsOnce } from "../../core/publish/publish.ts";
import type { Tx } from "../../db/db.ts";
import { firstPublications, takenSourceIds } from "../../resources/promotions/publications/store.ts";
import { vouchersById } from "../../resources/promotions/vouchers/store.ts";
import { customerSent } from "../../steps/checkout/carts.ts";
import { openCustomers } from "../../steps/customers/customers.ts";
import { campaignsOf } from "../../steps/promotions/voucher-view.ts";
import { openCodes } from "../../steps/publishing/publishing.ts";
import { wishOf } from "../../steps/publishing/wishes.ts";
import { joinedKey, type PublishCommand, type PublishState, publishedTo } from "./state.ts";

/** Locks all that the batch may change, in the one order that all flows keep, and reads what the decisions need. */
export async function loadState(tx: Tx, projectId: string, commands: readonly PublishCommand[]): Promise<PublishState> {
  const { project, catalog } = commands.reduce((newest, command) =>
    command.project.catalog_revision > newest.project.catalog_revision ? command : newest,
  );
  const given = commands.flatMap(({ sent }) => customerSent(sent) ?? []);
  const texts = commands.flatMap(({ sent }) => (typeof sent.customer === "string" ? [sent.customer] : []));
  const customers = await openCustomers(tx, projectId, given, { sourceIds: texts });
  const wishes = new Map(commands.map((command) => [command, wishOf(command.sent, catalog, command)]));
  const codes = await openCodes(tx, project, [...wishes.values()]);
  const [sourceIds, joined] = await Promise.all([
    takenSourceIds(
      tx,
      projectId,
      commands.flatMap(({ sent }) => sent.source_id ?? []),
    ),
    loadJoined(tx, projectId, { wishes, customers, codes, catalog }),
  ]);
  const again = joined.flatMap(({ voucher_ids }) => voucher_ids);
  const before = again.length > 0 ? await vouchersById(tx, projectId, again) : [];
  const locked = [...wishes.values()].flatMap(({ voucher }) => (voucher === null ? [] : (codes.named(voucher) ?? [])));
  return {
    catalog,
    campaigns: await campaignsOf(tx, projectId, catalog, [...before, ...locked]),
    wishes,
    customers,
    codes,
    shown: new Map(before.map((row) => [row.id, row])),
    sourceIds,
    joined: new Map(joined.map((row) => [joinedKey(row.customer_id!, row.campaign_id!), row])),
  };
}

type Joining = Pick<PublishState, "wishes" | "customers" | "codes" | "catalog">;

/** What those who join once were given before. Their rows are locked: nobody gives them more. */
async function loadJoined(tx: Tx, projectId: string, { wishes, customers, codes, catalog }: Joining) {
  const customerIds = new Set<string>();
  const campaignIds = new Set<string>();
  for (const [{ sent, join_once }, { voucher, campaign }] of wishes) {
    const named = voucher === null ? campaign : catalog.campaigns.get(codes.named(voucher)?.campaign_id ?? "");
    const customer = publishedTo(sent, customers);
    if (!named || !customer || !joinsOnce(named, join_once)) continue;
    customerIds.add(customer.id);
    campaignIds.add(named.id);
  }
  if (customerIds.size === 0) return [];
  return firstPublications(tx, projectId, { customerIds: [...customerIds], campaignIds: [...campaignIds] });
}
