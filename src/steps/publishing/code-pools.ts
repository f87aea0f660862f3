import { codeFault, foldCode, trimCode } from "../../core/codes/code.ts";
import { codeTemplate, createCodeMaker } from "../../core/codes/generate.ts";
import { COUNT_MAX, isExpired, isShared } from "../../core/publish/publish.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import { settingsOf } from "../../core/vouchers/settings.ts";
import { StartOver } from "../../db/batches/commit.ts";
import type { Tx } from "../../db/db.ts";
import type { Project } from "../../request.ts";
import { defaultCharsetOf } from "../../resources/platform/projects/store.ts";
import { lockPools } from "../../resources/promotions/campaigns/codes-store.ts";
import { takenCodes } from "../../resources/promotions/vouchers/copy-store.ts";
import {
  findCodeForAll,
  findUnpublished,
  type WantedCodes,
} from "../../resources/promotions/vouchers/published-store.ts";
import type { Wish } from "./wishes.ts";

/** How many spare codes are drawn, for codes that turn out to be taken. */
const SPARE = 20;

/** What codes depend on. */
export type CodesProject = Pick<Project, "id" | "timezone" | "case_sensitive_codes">;

/** The codes of campaigns that can be taken. */
export type CodePools = {
  /** The ids of codes that can be taken, by campaign. */
  of: Map<string, string[]>;
  ids: readonly string[];
  /** Campaigns that have more codes than were looked at. */
  hasMore: ReadonlySet<string>;
  /** Campaigns that may make codes when they have none. */
  making: ReadonlySet<string>;
};

/** Looks for codes of the campaigns, which are locked from now on. */
export async function openCodePools(
  tx: Tx,
  project: CodesProject,
  { wanting, named }: { wanting: readonly Wish[]; named: readonly VoucherRow[] },
): Promise<CodePools> {
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
      is_live: !isExpired(settingsOf({ settings: null, template_version: null }, campaign), now),
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
export function requireUnchanged({ of, hasMore }: CodePools, vouchers: ReadonlyMap<string, VoucherRow>): void {
  for (const campaignId of hasMore)
    for (const id of of.get(campaignId)!) {
      const row = vouchers.get(id);
      if (!row?.active || row.published_count > 0 || row.redeemed_quantity > 0)
        throw new StartOver("a code was taken meanwhile");
    }
}

/** A code that can be made. */
export type CodeDraft = readonly [folded: string, code: string];

/** Codes that can be made, for each wish that may find none: each from the randomness of its own request. */
export async function draftCodes(
  tx: Tx,
  project: CodesProject,
  { wanting, pools }: { wanting: readonly Wish[]; pools: CodePools },
): Promise<Map<Wish, readonly CodeDraft[]>> {
  const short = wanting.filter(({ campaign }) => pools.making.has(campaign!.id) && !pools.hasMore.has(campaign!.id));
  if (short.length === 0) return new Map();
  const charset = await defaultCharsetOf(tx, project.id);
  const drafts = new Map(short.map((wish) => [wish, draftFor(wish, charset, project.case_sensitive_codes)]));
  const all = [...drafts.values()].flatMap((one) => one.map(([folded]) => folded));
  const taken = new Set(await takenCodes(tx, project.id, all));
  return new Map([...drafts].map(([wish, codes]) => [wish, codes.filter(([folded]) => !taken.has(folded))]));
}

function draftFor({ campaign, count, newSecret }: Wish, charset: string, caseSensitive: boolean): readonly CodeDraft[] {
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
