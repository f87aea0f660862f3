import assert from "node:assert/strict";
import type { Catalog } from "../../catalog/catalog.ts";
import { codeFault, foldCode, trimCode } from "../../core/codes/code.ts";
import { codeTemplate, createCodeMaker } from "../../core/codes/generate.ts";
import { COUNT_MAX, isExpired, isShared, publishFault, settingsPublished } from "../../core/publish/publish.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import { resolveZone } from "../../core/time/zone.ts";
import { settingsOf } from "../../core/vouchers/settings.ts";
import { StartOver } from "../../db/commit.ts";
import type { Tx } from "../../db/db.ts";
import type { NewId, NewSecret, Project } from "../../request.ts";
import { defaultCharsetOf } from "../../resources/platform/projects/store.ts";
import { lockPools } from "../../resources/promotions/campaigns/codes-store.ts";
import { addToVouchersCounts, type Campaign } from "../../resources/promotions/campaigns/store.ts";
import { takenCodes } from "../../resources/promotions/vouchers/copy-store.ts";
import {
  findCodeForAll,
  findUnpublished,
  type PublishedVoucher,
  savePublished,
  type WantedCodes,
} from "../../resources/promotions/vouchers/published-store.ts";
import { findVouchers, insertVouchers, lockVouchers, takeStamps } from "../../resources/promotions/vouchers/store.ts";
import { openedCard, type PointCard, savePointCards } from "../points/point-cards.ts";

/** So many more codes than are wanted are drawn, for those that are taken. */
const SPARE = 20;

/** What codes depend on. */
type CodesProject = Pick<Project, "id" | "timezone" | "case_sensitive_codes">;

/** What one request wants to publish: the code that it names, or so many of a campaign. */
export type Wish = {
  voucher: string | null;
  campaign: Campaign | null;
  count: number;
  now: string;
  newId: NewId;
  newSecret: NewSecret;
};

/** The codes that a transaction gives to people: those it has locked, and those it makes. */
export type CodesAtWork = {
  /** By its id or its code, as it is after what was published so far. */
  named(reference: string): VoucherRow | undefined;
  byId(id: string): VoucherRow | undefined;
  /** Whether so many could be taken. */
  has(wish: Wish, campaign: Campaign, count: number): boolean;
  /** As many as are wanted of the campaign, in the order of their ids; null when there are not so many. */
  take(wish: Wish, campaign: Campaign, count?: number): VoucherRow[] | null;
  /** It is given to the customer. */
  publish(row: VoucherRow, to: { campaign: Campaign | null; customerId: string; now: string }): VoucherRow;
  /** Writes what was published. Codes that were made get the moment of their creation. */
  save(): Promise<void>;
};

type Sent = {
  voucher?: string | null | undefined;
  campaign?: string | { id?: string | null; name?: string | null; count?: number | null } | null | undefined;
};
type Made = Pick<Wish, "now" | "newId" | "newSecret">;

/** The campaign that a body names, by its id or name; empty: none. */
export const nameIn = ({ campaign }: Sent): string =>
  (typeof campaign === "string" ? campaign : campaign?.id || campaign?.name) || "";

/** What a request is about. A code that is named comes before a campaign. */
export function wishOf(sent: Sent, { campaigns }: Pick<Catalog, "campaigns">, { now, newId, newSecret }: Made): Wish {
  const voucher = sent.voucher || null;
  const name = voucher === null ? nameIn(sent) : "";
  const campaign = campaigns.get(name) ?? campaigns.values().find((one) => one.name === name) ?? null;
  const count = voucher === null && typeof sent.campaign === "object" ? (sent.campaign?.count ?? 1) : 1;
  return { voucher, campaign, count, now, newId, newSecret };
}

const seed = (campaign: Campaign) => settingsOf({ settings: null, template_version: null }, campaign);

/**
 * Locks the codes that the wishes are about. Who takes codes out of a campaign locks the campaign first: so no two take
 * the same one, and nobody is told that there is none because somebody else was about to take it.
 */
export async function openCodes(tx: Tx, project: CodesProject, wishes: readonly Wish[]): Promise<CodesAtWork> {
  const references = wishes.flatMap(({ voucher }) => voucher ?? []);
  const found = references.length > 0 ? await findVouchers(tx, project, references) : [];
  const wanting = wishes.filter(({ campaign }) => campaign !== null && campaign.voucher_type !== null);
  const pools = await openPools(tx, project, { wanting, named: found });
  const ids = [...new Set([...found.map(({ id }) => id), ...pools.ids])];
  const locked = ids.length > 0 ? await lockVouchers(tx, project.id, ids) : [];
  const vouchers = new Map(locked.map((row) => [row.id, row]));
  requireUnchanged(pools, vouchers);
  const drafts = await draftCodes(tx, project, { wanting, pools });

  const fold = (code: string) => foldCode(trimCode(code), project.case_sensitive_codes);
  const idOf = new Map(locked.map((row) => [row.code_folded, row.id]));
  const zone = resolveZone(project.timezone) ?? "UTC";
  const published = new Map<string, PublishedVoucher>();
  const takers = new Map<string, Wish>();
  const cards: PointCard[] = [];
  const made: { row: VoucherRow; now: string }[] = [];
  const used = new Set<string>();

  const look = (wish: Wish, campaign: Campaign, count: number) =>
    codesFor({ pools, vouchers, fresh: drafts.get(wish) ?? [], used }, { now: wish.now, campaign, count });

  const isNamed = (reference: string | null, { id, code_folded }: VoucherRow): boolean =>
    reference !== null && (reference === id || fold(reference) === code_folded);

  return {
    named: (reference) => vouchers.get(reference) ?? vouchers.get(idOf.get(fold(reference)) ?? ""),
    byId: (id) => vouchers.get(id),
    has: (wish, campaign, count) => look(wish, campaign, count) !== null,
    take: (wish, campaign, count = wish.count) => {
      const found = look(wish, campaign, count);
      if (found === null) return null;
      const { pool, next, taken, drawn } = found;
      // What a code for all gives, it keeps.
      if (!isShared(campaign)) pool.splice(0, next);
      for (const draft of drawn) {
        used.add(draft[0]);
        const row = makeVoucher(wish, campaign, draft);
        made.push({ row, now: wish.now });
        taken.push(row);
      }
      for (const { id } of taken) takers.set(id, wish);
      return taken;
    },
    publish: (row, { campaign, customerId, now }) => {
      const own = settingsPublished(settingsOf(row, campaign), campaign, { now, zone });
      const follows = row.settings === null && own === null;
      const next: VoucherRow = {
        ...row,
        published_count: row.published_count + 1,
        holder_id: customerId,
        referrer_id: campaign?.campaign_type === "REFERRAL_PROGRAM" ? customerId : row.referrer_id,
        settings: own ?? row.settings,
        template_version: row.template_version ?? (follows ? (campaign?.voucher_version ?? null) : null),
        updated_at: now,
      };
      if (campaign && next.type === "LOYALTY_CARD" && next.account === null) {
        const { newId } = takers.get(row.id) ?? wishes.find(({ voucher }) => isNamed(voucher, row)) ?? wishes[0]!;
        const card = openedCard(next, campaign, { now, zone, newId });
        cards.push({ ...card, row: next });
        next.account = card.change.card.account.sums;
        next.due_at = now;
      }
      vouchers.set(row.id, next);
      published.set(row.id, { row: next, by: (published.get(row.id)?.by ?? 0) + 1 });
      return next;
    },
    save: async () => {
      await saveMade(tx, project, { made, published });
      const rows = [...published.values()];
      assert.equal(await savePublished(tx, project.id, rows), rows.length, "nobody else published a code meanwhile");
      // Its tier is looked at by who sweeps: tiers are no matter of publishing.
      await savePointCards(tx, project, cards, { source: null, isDueNow: true });
      cards.length = 0;
      made.length = 0;
      published.clear();
    },
  };
}

const isFree = (row: VoucherRow | undefined, campaign: Campaign, now: string): row is VoucherRow =>
  row !== undefined &&
  (row.redeemed_quantity === 0 || isShared(campaign)) &&
  publishFault(row, campaign, { settings: settingsOf(row, campaign), now }) === null;

type From = {
  pools: Pools;
  vouchers: ReadonlyMap<string, VoucherRow>;
  fresh: readonly Draft[];
  used: ReadonlySet<string>;
};

/** So many codes of a campaign, and drafts for those that it does not have; null when there are not so many. */
function codesFor(
  { pools, vouchers, fresh, used }: From,
  { now, campaign, count }: { now: string; campaign: Campaign; count: number },
) {
  const pool = pools.of.get(campaign.id) ?? [];
  const taken: VoucherRow[] = [];
  let next = 0;
  for (; next < pool.length && taken.length < count; next += 1) {
    const row = vouchers.get(pool[next]!);
    if (isFree(row, campaign, now)) taken.push(row);
  }
  const free = fresh.filter(([folded]) => !used.has(folded));
  const missing = count - taken.length;
  return missing > free.length ? null : { pool, next, taken, drawn: free.slice(0, missing) };
}

const makeVoucher = ({ newId }: Wish, campaign: Campaign, [code_folded, code]: Draft): VoucherRow => ({
  project_id: campaign.project_id,
  id: newId("v"),
  code,
  code_folded,
  campaign_id: campaign.id,
  template_version: null,
  type: campaign.voucher_type!,
  settings: null,
  category_id: null,
  active: true,
  additional_info: null,
  redeemed_quantity: 0,
  uses: null,
  account: null,
  tier: null,
  due_at: null,
  published_count: 0,
  holder_id: null,
  referrer_id: null,
  created_at: "",
  updated_at: null,
  deleted_at: null,
});

type Pools = {
  /** The ids of codes that can be taken, by campaign. */
  of: Map<string, string[]>;
  ids: readonly string[];
  /** Campaigns that have more codes than were looked at. */
  hasMore: ReadonlySet<string>;
  /** Campaigns that may make codes when they have none. */
  making: ReadonlySet<string>;
};

/** Looks for codes of the campaigns, which are locked from now on. */
async function openPools(
  tx: Tx,
  project: CodesProject,
  { wanting, named }: { wanting: readonly Wish[]; named: readonly VoucherRow[] },
): Promise<Pools> {
  const campaigns = new Map(wanting.map(({ campaign }) => [campaign!.id, campaign!]));
  const now =
    wanting
      .map((wish) => wish.now)
      .sort()
      .at(-1) ?? "";
  const there = await lockPools(tx, project.id, [...campaigns.keys()]);
  const open = [...campaigns.values()].filter(({ id, active }) => there.has(id) && active);
  const [forAll, ofOne] = [open.filter(isShared), open.filter((campaign) => !isShared(campaign))];
  const limitOf = (id: string) =>
    wanting.reduce((sum, { campaign, count }) => sum + (campaign!.id === id ? Math.min(count, COUNT_MAX) : 0), 0) +
    named.filter(({ campaign_id }) => campaign_id === id).length;
  const wanted = ofOne.map(
    (campaign): WantedCodes => ({
      campaign_id: campaign.id,
      limit: limitOf(campaign.id),
      is_live: !isExpired(seed(campaign), now),
    }),
  );
  const found = [
    ...(wanted.length > 0 ? await findUnpublished(tx, project.id, wanted, now) : []),
    ...(forAll.length > 0
      ? await findCodeForAll(
          tx,
          project.id,
          forAll.map(({ id }) => id),
        )
      : []),
  ];
  const of = new Map<string, string[]>();
  for (const { id, campaign_id } of found) of.set(campaign_id, [...(of.get(campaign_id) ?? []), id]);
  return {
    of,
    ids: found.map(({ id }) => id),
    hasMore: new Set(
      wanted.filter((one) => of.get(one.campaign_id)?.length === one.limit).map((one) => one.campaign_id),
    ),
    making: new Set(
      ofOne
        .filter(({ id, type }) => type === "AUTO_UPDATE" && wanted.some((one) => one.campaign_id === id && one.is_live))
        .map(({ id }) => id),
    ),
  };
}

/** A code that was redeemed, disabled or deleted while it was locked: there may be another one, further on. */
function requireUnchanged({ of, hasMore }: Pools, vouchers: ReadonlyMap<string, VoucherRow>): void {
  for (const campaignId of hasMore)
    for (const id of of.get(campaignId)!) {
      const row = vouchers.get(id);
      if (!row?.active || row.published_count > 0 || row.redeemed_quantity > 0)
        throw new StartOver("a code was taken meanwhile");
    }
}

type Draft = readonly [folded: string, code: string];

/** Codes that can be made, for each wish that may find none: each from the randomness of its own request. */
async function draftCodes(
  tx: Tx,
  project: CodesProject,
  { wanting, pools }: { wanting: readonly Wish[]; pools: Pools },
): Promise<Map<Wish, readonly Draft[]>> {
  const short = wanting.filter(({ campaign }) => pools.making.has(campaign!.id) && !pools.hasMore.has(campaign!.id));
  if (short.length === 0) return new Map();
  const charset = await defaultCharsetOf(tx, project.id);
  const drafts = new Map(short.map((wish) => [wish, draw(wish, charset, project.case_sensitive_codes)]));
  const all = [...drafts.values()].flatMap((one) => one.map(([folded]) => folded));
  const taken = new Set(await takenCodes(tx, project.id, all));
  return new Map([...drafts].map(([wish, codes]) => [wish, codes.filter(([folded]) => !taken.has(folded))]));
}

function draw({ campaign, count, newSecret }: Wish, charset: string, caseSensitive: boolean): readonly Draft[] {
  const template = codeTemplate(campaign!.code_config ?? {}, charset);
  if ("fault" in template) return [];
  const make = createCodeMaker(template, () => Buffer.from(newSecret(), "hex"));
  const codes = new Map<string, string>();
  for (let n = 0; n < Math.min(count, COUNT_MAX) + SPARE; n += 1) {
    const code = make();
    const folded = foldCode(code, caseSensitive);
    // Nobody could send it as it is.
    if (codeFault(code) === null && codeFault(folded) === null && trimCode(code) === code) codes.set(folded, code);
  }
  return [...codes];
}

/** Inserts the codes that were made, those of one moment together, and counts them. */
async function saveMade(
  tx: Tx,
  project: CodesProject,
  { made, published }: { made: readonly { row: VoucherRow; now: string }[]; published: Map<string, PublishedVoucher> },
): Promise<void> {
  for (let from = 0; from < made.length; ) {
    const { now } = made[from]!;
    const others = made.slice(from).findIndex((one) => one.now !== now);
    const same = made.slice(from, others === -1 ? undefined : from + others).map(({ row }) => row);
    const first = await takeStamps(tx, project.id, { now, count: same.length });
    const saved = await insertVouchers(tx, project, same, first);
    if (saved.length < same.length) throw new StartOver("a code that was free is taken");
    for (const { id, created_at } of saved) published.get(id)!.row.created_at = created_at;
    from += same.length;
  }
  const counts = [...Map.groupBy(made, ({ row }) => row.campaign_id!)].map(([id, { length }]) => [id, length] as const);
  await addToVouchersCounts(tx, project.id, new Map(counts));
}
