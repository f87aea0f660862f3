import type { Catalog } from "../../catalog/catalog.ts";
import { type Answer, refusal, refusedAnswer } from "../../core/answer.ts";
import { foldCode } from "../../core/codes/code.ts";
import { ApiError, invalid, notFound } from "../../core/errors.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import type { ReadFlow } from "../../db/batches/batch.ts";
import type { Db } from "../../db/db.ts";
import type { Drafts } from "../../resources/checkout/validations/draft-schema.ts";
import { codesIn } from "../../steps/checkout/requests.ts";
import type { Show } from "../../steps/checkout/validation-view.ts";
import { missingUnits } from "../../steps/promotions/settings.ts";
import { type Drafted, requireDrafts } from "./draft-rows.ts";
import { findCodes, loadState } from "./load.ts";
import { planValidation } from "./plan.ts";
import type { ValidateCommand } from "./state.ts";

/** A validation with drafts, or at another time. */
export type TryOutCommand = Omit<ValidateCommand, "show" | "session"> & {
  drafts: Drafts;
  /** What is shown is shown from the catalog with the drafts. */
  showIn(catalog: Catalog): Show;
};

/** Decides as a validation does, and stores, counts and locks nothing. Each has a catalog of its own, so each is alone. */
export const tryOut: ReadFlow<TryOutCommand, Answer> = {
  name: "try-out",
  failed: ({ request_id }, key, details) => refusal(key, { request_id, ...(details && { details }) }),
  read: async (db, _, commands) => {
    const answers: Answer[] = [];
    for (const command of commands) answers.push(await answerOf(db, command));
    return answers;
  },
};

async function answerOf(db: Db, command: TryOutCommand): Promise<Answer> {
  try {
    const { drafts, showIn, ...rest } = command;
    const drafted = requireDrafts(command, command.catalog, drafts);
    await requireUnitsOf(db, command, drafted);
    const { catalog } = drafted;
    const tried: ValidateCommand = { ...rest, session: null, catalog, show: showIn(catalog) };
    const vouchers = withCodes(tried, await findCodes(db, [tried]), drafted.vouchers);
    // What is refused here was not asked by a customer: it is no refusal that anybody looks for later.
    const { refusal: _, ...answer } = planValidation(await loadState(db, [tried], vouchers), tried).answer;
    return answer;
  } catch (error) {
    if (error instanceof ApiError) return refusedAnswer(error.body, command.request_id);
    throw error;
  }
}

/** 404 when a drafted discount gives units of what is not there. */
async function requireUnitsOf(db: Db, { project }: TryOutCommand, { catalog, discounts }: Drafted): Promise<void> {
  const [missing] = await missingUnits({ db, project }, catalog, discounts);
  if (missing !== undefined) throw notFound("product", missing);
}

/** The codes of drafts that are asked for. A code that is saved is the saved one, and belongs to its campaign. */
function withCodes(
  command: ValidateCommand,
  saved: readonly VoucherRow[],
  drafted: readonly VoucherRow[],
): VoucherRow[] {
  const { case_sensitive_codes } = command.project;
  const asked = new Set(codesIn([command]).map((code) => foldCode(code, case_sensitive_codes)));
  const taken = new Map(saved.map((row) => [row.code_folded, row]));
  const added = drafted.filter(({ code_folded, campaign_id, code }) => {
    const other = taken.get(code_folded);
    if (other && other.campaign_id !== campaign_id)
      throw invalid(`Property .options.draft.campaigns has the code ${code}, which is taken`);
    return asked.has(code_folded) && !other;
  });
  return [...saved, ...added];
}
