import { foldCode, trimCode } from "../../core/codes/code.ts";
import { isShared, publishFault, settingsPublished } from "../../core/publish/publish.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import { zoneOf } from "../../core/time/zone.ts";
import { settingsOf } from "../../core/vouchers/settings.ts";
import { StartOver } from "../../db/batches/commit.ts";
import type { Tx } from "../../db/db.ts";
import type { NewId } from "../../request.ts";
import { addToVouchersCounts, type Campaign } from "../../resources/promotions/campaigns/store.ts";
import { type PublishedVoucher, savePublished } from "../../resources/promotions/vouchers/published-store.ts";
import { findVouchers, insertVouchers, lockVouchers, takeStamps } from "../../resources/promotions/vouchers/store.ts";
import { openedCard, type PointCard, savePointCards } from "../points/point-cards.ts";
import {
  type CodeDraft,
  type CodePools,
  type CodesProject,
  draftCodes,
  openCodePools,
  requireUnchanged,
} from "./code-pools.ts";
import type { Wish } from "./wishes.ts";

/** Codes that are to be taken out of a campaign. Nothing has changed yet. */
export type DrawnCodes = {
  wish: Wish;
  campaign: Campaign;
  /** In the order of their ids; those that are made come last. */
  rows: readonly VoucherRow[];
  /** Those of them that are made. */
  made: readonly VoucherRow[];
  /** So many codes of the pool were looked at. */
  looked: number;
};

/** A code that is to be given to a customer, as it is afterwards. Nothing has changed yet. */
export type HandedCode = {
  row: VoucherRow;
  /** A loyalty card that begins with it. */
  card: PointCard | null;
};

/** Codes that the same plan draws and gives already. Nothing has changed yet. */
type Planned = readonly { drawn: DrawnCodes; published: HandedCode }[];

/** Who is given a code, when and of which campaign. */
export type Recipient = { campaign: Campaign | null; customerId: string; now: string; newId: NewId };

/**
 * The codes that a transaction gives to people: those it has locked, and those it makes. `draw` and `give` say what would
 * happen, so that plans can be made of it; `acceptDrawn` and `acceptPublished` make it what comes next sees.
 */
export type CodesAtWork = {
  /** Those that were locked, as they were found. */
  locked: readonly VoucherRow[];
  /** By its id or its code, as it is after what was published so far. */
  named(reference: string): VoucherRow | undefined;
  byId(id: string): VoucherRow | undefined;
  /** Whether so many could be taken. */
  has(wish: Wish, campaign: Campaign, count: number): boolean;
  /** As many as are wanted of the campaign, beside those that are planned; null when there are not so many. */
  draw(wish: Wish, campaign: Campaign, count?: number, planned?: Planned): DrawnCodes | null;
  acceptDrawn(drawn: DrawnCodes): void;
  /** The same, accepted at once: the codes. */
  take(wish: Wish, campaign: Campaign, count?: number): readonly VoucherRow[] | null;
  /** The code once the customer has it. */
  give(row: VoucherRow, to: Recipient): HandedCode;
  acceptPublished(published: HandedCode): void;
  /** Writes what was accepted. Codes that were made get the moment of their creation. */
  save(): Promise<void>;
};

/**
 * Locks the codes that the wishes are about. Who takes codes out of a campaign locks the campaign first: so no two take
 * the same one, and nobody is told that there is none because somebody else was about to take it.
 */
export async function openCodes(tx: Tx, project: CodesProject, wishes: readonly Wish[]): Promise<CodesAtWork> {
  const references = wishes.flatMap(({ voucher }) => voucher ?? []);
  const found = references.length > 0 ? await findVouchers(tx, project, references) : [];
  const wanting = wishes.filter(({ campaign }) => campaign !== null && campaign.voucher_type !== null);
  const pools = await openCodePools(tx, project, { wanting, named: found });
  const ids = [...new Set([...found.map(({ id }) => id), ...pools.ids])];
  const locked = ids.length > 0 ? await lockVouchers(tx, project.id, ids) : [];
  requireUnchanged(pools, new Map(locked.map((row) => [row.id, row])));
  return codesFrom(tx, project, { locked, pools, drafts: await draftCodes(tx, project, { wanting, pools }) });
}

/** Codes that are locked, and those that can be made, by what asks for them. */
type LockedCodes = {
  locked: readonly VoucherRow[];
  pools: CodePools;
  drafts: ReadonlyMap<Wish, readonly CodeDraft[]>;
};

export function codesFrom(tx: Tx, project: CodesProject, { locked, pools, drafts }: LockedCodes): CodesAtWork {
  const vouchers = new Map(locked.map((row) => [row.id, row]));
  const fold = (code: string) => foldCode(trimCode(code), project.case_sensitive_codes);
  const idOf = new Map(locked.map((row) => [row.code_folded, row.id]));
  const zone = zoneOf(project);
  const published = new Map<string, PublishedVoucher>();
  const cards: PointCard[] = [];
  const made: NewCode[] = [];
  const used = new Set<string>();

  const look = (wish: Wish, campaign: Campaign, count: number, planned: Planned = []) => {
    const isGone = new Set(planned.flatMap(({ drawn }) => drawn.made.map(({ code_folded }) => code_folded)));
    const looked = planned.reduce((sum, { drawn }) => sum + (drawn.campaign.id === campaign.id ? drawn.looked : 0), 0);
    const codes: Codes = {
      // What a code for all gives, it keeps.
      pool: (pools.of.get(campaign.id) ?? []).slice(isShared(campaign) ? 0 : looked),
      rowOf: (id) => planned.findLast(({ published }) => published.row.id === id)?.published.row ?? vouchers.get(id),
      drafts: (drafts.get(wish) ?? []).filter(([folded]) => !used.has(folded) && !isGone.has(folded)),
    };
    return findCodes(codes, { now: wish.now, campaign, count });
  };
  const draw: CodesAtWork["draw"] = (wish, campaign, count = wish.count, planned = []) => {
    const codes = look(wish, campaign, count, planned);
    if (codes === null) return null;
    const fresh = codes.drafts.map((draft) => makeVoucher(wish, campaign, draft));
    return { wish, campaign, rows: [...codes.free, ...fresh], made: fresh, looked: codes.looked };
  };
  const acceptDrawn = ({ wish, campaign, made: fresh, looked }: DrawnCodes) => {
    if (!isShared(campaign)) pools.of.get(campaign.id)?.splice(0, looked);
    for (const row of fresh) {
      used.add(row.code_folded);
      made.push({ row, now: wish.now });
    }
  };

  return {
    locked,
    named: (reference) => vouchers.get(reference) ?? vouchers.get(idOf.get(fold(reference)) ?? ""),
    byId: (id) => vouchers.get(id),
    has: (wish, campaign, count) => look(wish, campaign, count) !== null,
    draw,
    acceptDrawn,
    take: (wish, campaign, count) => {
      const drawn = draw(wish, campaign, count);
      if (drawn) acceptDrawn(drawn);
      return drawn?.rows ?? null;
    },
    give: (row, to) => giveCode(row, to, zone),
    acceptPublished: ({ row, card }) => {
      if (card) cards.push(card);
      vouchers.set(row.id, row);
      published.set(row.id, { row, by: (published.get(row.id)?.by ?? 0) + 1 });
    },
    save: async () => {
      await saveMade(tx, project, { made, published });
      const rows = [...published.values()];
      await savePublished(tx, project.id, rows);
      // Its tier is looked at by who sweeps: tiers are no matter of publishing.
      await savePointCards(tx, project, cards, { source: null, isDueNow: true });
      cards.length = 0;
      made.length = 0;
      published.clear();
    },
  };
}

/** A code once a customer has it. A loyalty card begins with its first holder. */
function giveCode(row: VoucherRow, { campaign, customerId, now, newId }: Recipient, zone: string): HandedCode {
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
  if (!campaign || next.type !== "LOYALTY_CARD" || next.account !== null) return { row: next, card: null };
  const card = openedCard(next, campaign, { now, zone, newId });
  const opened = { ...next, account: card.change.card.account.sums, due_at: now };
  return { row: opened, card: { ...card, row: opened } };
}

const isFree = (row: VoucherRow | undefined, campaign: Campaign, now: string): row is VoucherRow =>
  row !== undefined &&
  (row.redeemed_quantity === 0 || isShared(campaign)) &&
  publishFault(row, campaign, { settings: settingsOf(row, campaign), now }) === null;

type Codes = {
  pool: readonly string[];
  rowOf(id: string): VoucherRow | undefined;
  drafts: readonly CodeDraft[];
};

/** Codes of a campaign, and drafts for those that it lacks; null when there are too few. */
function findCodes(
  { pool, rowOf, drafts }: Codes,
  { now, campaign, count }: { now: string; campaign: Campaign; count: number },
) {
  const free: VoucherRow[] = [];
  let looked = 0;
  for (; looked < pool.length && free.length < count; looked += 1) {
    const row = rowOf(pool[looked]!);
    if (isFree(row, campaign, now)) free.push(row);
  }
  const missing = count - free.length;
  return missing > drafts.length ? null : { free, looked, drafts: drafts.slice(0, missing) };
}

const makeVoucher = ({ newId }: Wish, campaign: Campaign, [code_folded, code]: CodeDraft): VoucherRow => ({
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

/** A code that is made, and the moment of the request that it is made for. */
type NewCode = { row: VoucherRow; now: string };

/** Inserts the codes that were made, those of one moment together, and counts them. */
async function saveMade(
  tx: Tx,
  project: CodesProject,
  { made, published }: { made: readonly NewCode[]; published: Map<string, PublishedVoucher> },
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
