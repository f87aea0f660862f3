import { setImmediate as nextTurn } from "node:timers/promises";
import { codeFault, foldCode, trimCode } from "../../core/codes/code.ts";
import { type CodeConfig, codeTemplate, createCodeMaker } from "../../core/codes/generate.ts";
import type { Ctx } from "../../ctx.ts";
import { StartOver } from "../../db/batches/commit.ts";
import type { Tx } from "../../db/db.ts";
import { record } from "../../events/events.ts";
import {
  type ActionStep,
  type AsyncActionRow,
  hasOtherGeneration,
} from "../../resources/platform/async-actions/store.ts";
import { getProject, type ProjectRow } from "../../resources/platform/projects/store.ts";
import { setGenerationStatus } from "../../resources/promotions/campaigns/codes-store.ts";
import { addToVouchersCount, type Campaign, loadCampaigns } from "../../resources/promotions/campaigns/store.ts";
import { copyVouchers, takenCodes } from "../../resources/promotions/vouchers/copy-store.ts";
import type { NewVoucher } from "../../resources/promotions/vouchers/store.ts";

const CHUNK = 20_000;
const CHUNK_MIN = 1_000;
const TRIES = 20_000;
/** How many codes are tried before a pattern counts as used up: all codes of a small one, almost surely. */
const TRIES_MAX = 200_000;
const ATTEMPTS_MAX = 4;
/** Codes made at a stretch; requests are served between two. */
const STRETCH = 1_000;

/** What is to be done, and where it stands. */
export type GenerateProgress = {
  /** Codes are added to a campaign that was there before. */
  is_addition?: boolean;
  campaign_id: string;
  count: number;
  code_config: CodeConfig;
  overrides?: Partial<Pick<NewVoucher, "settings" | "category_id" | "additional_info" | "active">>;
  done?: number;
  /** A code that was made was taken: from then on they are looked up before. */
  is_crowded?: boolean;
};

export type GenerateCtx = Pick<Ctx<Tx>, "db" | "now" | "newId"> & {
  random(bytes: number): Uint8Array;
  /** Moments for that many codes, reserved in a transaction of their own: nobody waits for a chunk to end. */
  takeStamps(count: number): Promise<string>;
  /** Codes that were made for the next turn of an action, of one at most. They may be lost: others are made. */
  ahead: Map<string, readonly MadeCode[]>;
};
type MadeCode = readonly [folded: string, code: string];

/** Makes the next codes of a campaign. They, their number and what is left to do are one transaction. */
export async function generateCodes(c: GenerateCtx, action: AsyncActionRow): Promise<ActionStep> {
  const work = action.work as GenerateProgress;
  const { campaign_id, count, done = 0 } = work;
  if (action.status === "ENQUEUED") await tell(c, action, "campaign.vouchers.generation.started", { count });
  const project = await getProject(c.db, action.project_id);
  const [campaign] = await loadCampaigns(c.db, project.id, [campaign_id]);
  if (!campaign) return stopGeneration(c, action, "The campaign was deleted.");
  const template = codeTemplate(work.code_config, project.default_code_config.charset);
  if ("fault" in template) return stopGeneration(c, action, `${template.fault}.`);

  const source = { make: createCodeMaker(template, c.random), project, campaign };
  const added = await addChunk(c, action, source);
  if (added === null)
    return stopGeneration(
      c,
      action,
      `No free code was found in ${TRIES_MAX} attempts: make the pattern longer or the charset larger.`,
    );
  const { count: counted } = await addToVouchersCount(c.db, project.id, campaign_id, added.count);
  // Deleted for good meanwhile: these codes must not stay behind.
  if (counted === 0) throw new StartOver();
  const next = { ...work, done: done + added.count, is_crowded: added.isCrowded };
  if (next.done < count) return { work: next, progress: Math.floor((next.done / count) * 100) };
  if (!(await hasOtherGeneration(c.db, action, campaign_id)))
    await setGenerationStatus(c.db, project.id, campaign_id, "DONE");
  await tell(c, action, "campaign.vouchers.generation.completed", { count });
  // What a new campaign begins with is not added to it.
  if (work.is_addition) await tell(c, action, "campaign.vouchers.added", { count });
  const end = { operation_status: "SUCCESS", message: `Generated ${count} vouchers.`, done_count: count } as const;
  return { work: next, progress: 100, end };
}

/** Ends a generation that cannot go on. The codes that it made stay. */
export async function stopGeneration(c: GenerateCtx, action: AsyncActionRow, reason: string): Promise<ActionStep> {
  const { campaign_id, count, done = 0 } = action.work as GenerateProgress;
  await setGenerationStatus(c.db, action.project_id, campaign_id, "FAILED");
  await tell(c, action, "campaign.vouchers.generation.failed", { count: done, error: reason });
  const message = `Generated ${done} of ${count} vouchers. ${reason}`;
  return {
    work: action.work,
    progress: action.progress,
    end: { operation_status: "FAILED", message, done_count: done },
  };
}

const tell = (
  c: GenerateCtx,
  { project_id, request_id, work }: AsyncActionRow,
  kind: `campaign.vouchers.${"added" | "generation.started" | "generation.completed" | "generation.failed"}`,
  payload: object,
) =>
  record({ ...c, project: { id: project_id }, request_id }, [
    { kind, campaign_id: (work as GenerateProgress).campaign_id, payload: { ...payload } },
  ]);

type Source = { make(): string; project: ProjectRow; campaign: Campaign };

/** Inserts the next new codes, up to a chunk of them; null when none is free. */
async function addChunk(c: GenerateCtx, action: AsyncActionRow, { make, project, campaign }: Source) {
  const { count, done = 0, is_crowded, overrides } = action.work as GenerateProgress;
  const left = count - done;
  if (left <= 0) return { count: 0, isCrowded: false };
  const chunk = chunkOf(count);
  const wanted = Math.min(chunk, left);
  const firstStamp = await c.takeStamps(wanted);
  const common = { ...fieldsOf(campaign, overrides), project_id: project.id, campaign_id: campaign.id };
  let [isCrowded, tries] = [is_crowded ?? false, Math.max(2 * wanted, TRIES)];
  const prepare = async (size: number) => {
    const codes = await tryOut(make, project.case_sensitive_codes, { count: isCrowded ? tries : size, tries });
    if (isCrowded) for (const one of await takenCodes(c.db, project.id, [...codes.keys()])) codes.delete(one);
    // Plain texts are sorted several times faster than pairs, and requests wait meanwhile.
    const folded = [...codes.keys()].slice(0, size).sort();
    return folded.map((one): MadeCode => [one, codes.get(one)!]);
  };
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const made = isCrowded ? undefined : c.ahead.get(action.id);
    c.ahead.clear();
    const codes = made?.length === wanted ? made : await prepare(wanted);
    if (codes.length === 0) {
      if (tries === TRIES_MAX) return null;
      [isCrowded, tries] = [true, TRIES_MAX];
      continue;
    }
    const rows = codes.values().map(([code_folded, code]) => ({ id: c.newId("v"), code, code_folded }));
    // The server takes longer than we do: the next ones are made while it is at work on these.
    const nextSize = isCrowded ? 0 : Math.min(chunk, left - codes.length);
    const [isFree, next] = await Promise.all([
      copyVouchers(c.db, common, rows, firstStamp),
      nextSize > 0 ? prepare(nextSize) : null,
    ]);
    if (isFree) {
      if (next) c.ahead.set(action.id, next);
      return { count: codes.length, isCrowded };
    }
    isCrowded = true;
  }
  throw new Error("Codes that were free are taken, time and again.");
}

/** Few codes are made in parts too, so that whoever waits sees how far it is. */
const chunkOf = (count: number): number => (count > CHUNK ? CHUNK : Math.max(CHUNK_MIN, Math.ceil(count / 5)));

function fieldsOf({ voucher_type }: Campaign, overrides: GenerateProgress["overrides"] = {}) {
  const { settings = null, category_id = null, additional_info = null, active = true } = overrides;
  return { type: voucher_type!, settings, category_id, additional_info, active };
}

/** Different codes by their folded form: `count` of them, or what that many tries give. */
async function tryOut(make: () => string, caseSensitive: boolean, { count, tries }: { count: number; tries: number }) {
  const codes = new Map<string, string>();
  for (let n = 1; n <= tries && codes.size < count; n += 1) {
    const code = make();
    const folded = foldCode(code, caseSensitive);
    // What looks like an id would be found as that id, and what begins with a space could not be sent.
    if (trimCode(code) === code && (!folded.startsWith("v_") || codeFault(folded) === null)) codes.set(folded, code);
    if (n % STRETCH === 0) await nextTurn();
  }
  return codes;
}
