import { type Cart, type CartProject, type CartSent, collectionsNamed, loadCarts } from "../catalog/carts.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { formulaOf } from "../catalog/formulas.ts";
import { loadGoods, membershipIn, unitsOf } from "../catalog/goods.ts";
import {
  apiKeyCounter,
  type CountsOf,
  discountOf,
  type KnownVoucher,
  loadCounts,
  loadKnownVouchers,
  tierRedeemable,
  unitTypesOf,
  voucherRedeemable,
} from "../catalog/redeemables.ts";
import type { Show, Validated } from "../catalog/validation-view.ts";
import { type Answer, refusal, refused, success } from "../core/answer.ts";
import { foldCode, trimCode } from "../core/codes/code.ts";
import type { CatalogueUnits } from "../core/discounts/units.ts";
import { type ErrorBody, errorBody } from "../core/errors.ts";
import { metadataFault } from "../core/metadata/check.ts";
import { totalsOf } from "../core/order/order.ts";
import { DEFAULT_STACKING, type StackingSettings } from "../core/stacking/settings.ts";
import { resolveZone } from "../core/time/zone.ts";
import { type Decision, decide } from "../core/validate/decide.ts";
import type { Situation } from "../core/validate/judge.ts";
import type { Candidate, Redeemable, Unknown } from "../core/validate/redeemable.ts";
import { type Session, sessionEnd, TTL_DAYS_MAX } from "../core/validate/session.ts";
import type { Project } from "../ctx.ts";
import type { Flow, ReadFlow } from "../db/batch.ts";
import type { Db, Tx } from "../db/db.ts";
import { answerAll, type Claim, claimKeys } from "../idempotency/claim.ts";
import type { PromotionTierRow } from "../resources/promotion-tiers/store.ts";
import { loadLocks, lockSessions, replaceLocks, type SessionLock } from "../resources/sessions/store.ts";
import { insertValidations, type ValidationRow } from "../resources/validations/store.ts";
import { findVouchers, lockVouchers, type VoucherRow } from "../resources/vouchers/store.ts";

export type RedeemableSent = {
  object: "voucher" | "promotion_tier" | "promotion_stack";
  id: string;
  gift?: { credits?: number | null } | null | undefined;
  reward?: { id?: string | null; points?: number | null } | null | undefined;
};
export type ValidationSent = CartSent & {
  redeemables: readonly RedeemableSent[];
  metadata?: Readonly<Record<string, unknown>> | null | undefined;
};

/** A request to validate, with all that it makes: a batch gives the same as one after the other. */
export type ValidateCommand = {
  project: CartProject & Pick<Project, "case_sensitive_codes">;
  catalog: Catalog;
  now: string;
  request_id: string;
  api_key_id: string;
  /** The id of the validation. */
  id: string;
  sent: ValidationSent;
  session: Session | null;
  /** Each redeemable for itself, instead of all together. */
  alone?: Pick<Situation, "asked">;
  show: Show;
  claim: Claim | null;
};
const failed = ({ request_id }: ValidateCommand, key: Parameters<typeof refusal>[0]): Answer =>
  refusal(key, { request_id });

/** Validation without a session: nothing is locked, and only the promise is stored. */
export const validate: ReadFlow<ValidateCommand, Answer> = {
  name: "validate",
  failed,
  read: async (db, _, commands) => {
    const { project } = commands[0]!;
    const vouchers = await findVouchers(db, project, vouchersIn(commands));
    const facts = await loadFacts(db, commands, vouchers);
    const decided = commands.map((command) => decideOne(command, facts));
    await insertValidations(db, project.id, rowsOf(decided));
    return decided.map(({ answer }) => answer);
  },
};

/** Validation with a session: the codes are locked, so that no two sessions hold the same last unit. */
export const validateAndLock: Flow<ValidateCommand, Answer> = {
  name: "validate-and-lock",
  failed,
  run: async (tx, projectId, commands) => {
    const { fresh, stored } = await claimKeys(tx, projectId, commands);
    const answers = new Map<ValidateCommand, Answer>();
    if (fresh.length > 0) {
      const { project } = fresh[0]!;
      await lockSessions(tx, projectId, sessionsIn(fresh));
      const found = await findVouchers(tx, project, vouchersIn(fresh));
      const vouchers = await lockVouchers(
        tx,
        projectId,
        found.map(({ id }) => id),
      );
      const facts = await loadFacts(tx, fresh, vouchers);
      const decided = fresh.map((command) => {
        const one = decideOne(command, facts);
        if (one.locks) holdLocks(facts.locks, command.session!.key, one.locks);
        return one;
      });
      await saveLocks(tx, projectId, { commands: fresh, decided });
      await insertValidations(tx, projectId, rowsOf(decided));
      for (const [n, command] of fresh.entries()) answers.set(command, decided[n]!.answer);
    }
    return answerAll(tx, projectId, { commands, answers, stored });
  },
};

const vouchersIn = (commands: readonly ValidateCommand[]): string[] => [
  ...new Set(
    commands.flatMap(({ sent }) =>
      sent.redeemables.flatMap(({ object, id }) => (object === "voucher" ? trimCode(id) : [])),
    ),
  ),
];

/** Until when somebody may ask for a session: a day longer than it lasts. */
function sessionsIn(commands: readonly ValidateCommand[]): Map<string, string> {
  const until = new Map<string, string>();
  for (const { session, now } of commands) {
    const { key } = session!;
    const end = Temporal.Instant.from(sessionEnd(now, session!) ?? now).add({ hours: 24 });
    const known = until.get(key);
    if (known === undefined || Temporal.Instant.compare(end, known) > 0)
      until.set(key, end.toString({ smallestUnit: "microsecond" }));
  }
  return until;
}

type Facts = {
  carts: ReadonlyMap<ValidateCommand, Cart | { refused: ErrorBody }>;
  voucherOf(command: ValidateCommand, reference: string): KnownVoucher | undefined;
  /** By code; those that a command of the batch makes are added. */
  locks: Map<string, readonly SessionLock[]>;
  countsOf: CountsOf;
  unitsFor(command: ValidateCommand, cart: Cart, candidates: readonly Candidate[]): CatalogueUnits;
};

/** Everything that the decisions of a batch look at: a number of statements that does not depend on its size. */
async function loadFacts(
  db: Db,
  commands: readonly ValidateCommand[],
  vouchers: readonly VoucherRow[],
): Promise<Facts> {
  const { project } = commands[0]!;
  const voucherIds = vouchers.map(({ id }) => id);
  const tiers = commands.flatMap(({ catalog, sent }) => sent.redeemables.flatMap((one) => tiersOf(catalog, one)));
  const refs = [...voucherIds, ...tiers.map(({ id }) => id)];
  const campaignIds = [...vouchers, ...tiers].flatMap(({ campaign_id }) => campaign_id ?? []);
  const keys = [...new Set(commands.map(({ api_key_id }) => api_key_id))];
  const catalogs = [...new Set(commands.map(({ catalog }) => catalog))];
  const unitTypes = new Set([
    ...tiers.flatMap(({ action }) => unitTypesOf(action.discount)),
    ...catalogs.flatMap((catalog) => vouchers.flatMap((row) => unitTypesOf(discountOf(row, catalog)))),
  ]);
  const [carts, units, known, locks, countsOf] = await Promise.all([
    loadCarts(db, project, commands, unitTypes),
    loadGoods(db, project.id, { products: [...unitTypes], skus: [...unitTypes] }),
    loadKnownVouchers(db, project.id, vouchers),
    voucherIds.length > 0 ? loadLocks(db, project.id, voucherIds) : [],
    loadCounts(db, project.id, {
      subjectIds: [...refs, ...campaignIds, ...refs.flatMap((ref) => keys.map((key) => apiKeyCounter(ref, key)))],
      moments: commands.map(({ now }) => ({ now, zone: zoneOf(project) })),
    }),
  ]);
  const byId = new Map(known.map((one) => [one.row.id, one]));
  const byCode = new Map(known.map((one) => [one.row.code_folded, one]));
  return {
    carts: new Map(commands.map((command, n) => [command, carts[n]!])),
    voucherOf: (command, reference) =>
      byId.get(reference) ?? byCode.get(foldCode(reference, command.project.case_sensitive_codes)),
    locks: new Map(Map.groupBy(locks, ({ redeemable_id }) => redeemable_id)),
    countsOf,
    unitsFor: ({ catalog }, { moment }) =>
      unitTypes.size === 0
        ? NO_UNITS
        : unitsOf(units, membershipIn(collectionsNamed(catalog, unitTypes), units, moment)),
  };
}
const NO_UNITS: CatalogueUnits = new Map();

const zoneOf = ({ timezone }: Pick<Project, "timezone">): string => resolveZone(timezone) ?? "UTC";

/** The tiers that a redeemable of a request stands for. */
function tiersOf({ promotion_tiers, promotion_stacks }: Catalog, { object, id }: RedeemableSent): PromotionTierRow[] {
  if (object === "promotion_tier") return [promotion_tiers.get(id) ?? []].flat();
  if (object !== "promotion_stack") return [];
  return (promotion_stacks.get(id)?.tiers.ids ?? []).flatMap((tier) => promotion_tiers.get(tier) ?? []);
}

type Decided = { answer: Answer; row: ValidationRow | null; locks: readonly SessionLock[] | null };

function decideOne(command: ValidateCommand, facts: Facts): Decided {
  const { catalog, sent, now, request_id, session } = command;
  const refuse = (error: ErrorBody): Decided => ({ answer: refused(error, request_id), row: null, locks: null });
  const cart = facts.carts.get(command)!;
  if ("refused" in cart) return refuse(cart.refused);
  const settings = catalog.stacking_rules?.rules ?? DEFAULT_STACKING;
  const fault = requestFault(command, settings);
  if (fault) return refuse(fault);
  const candidates = candidatesOf(command, facts);
  if ("refused" in candidates) return refuse(candidates.refused);
  const situation = {
    now,
    zone: cart.moment.zone,
    customer: cart.customer,
    redemption: { metadata: sent.metadata ?? {}, api_key_id: command.api_key_id, user_login: null },
    units: facts.unitsFor(command, cart, candidates),
    formula: formulaOf,
    ...command.alone,
  };
  const decisions = (command.alone ? candidates.map((one) => [one]) : [candidates]).map((some) =>
    decide(some, cart.order, { settings, situation }),
  );
  const validated: Validated = { id: command.id, cart, settings, situation, decisions, session, request_id };
  const shown = command.show(validated);
  if ("refused" in shown) return refuse(shown.refused as ErrorBody);
  return { answer: success(shown), row: rowOf(command, validated), locks: session && locksOf(command, decisions[0]!) };
}

/** What is wrong with a request whatever the redeemables are. */
function requestFault({ catalog, sent, session, now, alone }: ValidateCommand, settings: StackingSettings) {
  const { redeemables, metadata } = sent;
  const { redeemables_limit } = settings;
  if (!alone && redeemables.length > redeemables_limit)
    return errorBody("invalid_payload", {
      details: `Property .redeemables must have at most ${redeemables_limit} items: the stacking rules of the project say so`,
    });
  if (redeemables.length > 1 && redeemables.some(({ object }) => object === "promotion_stack"))
    return errorBody("invalid_redeemables", { details: "Promotion Stack cannot be use with other redeemables" });
  if (session && sessionEnd(now, session) === null)
    return errorBody("invalid_payload", { details: `Property .session.ttl must be at most ${TTL_DAYS_MAX} days` });
  const details = metadata ? metadataFault(catalog.metadata_schemas, "redemption", { metadata, on: "create" }) : null;
  return details === null ? null : errorBody("metadata_validation_failed", { details });
}

/** The redeemables of a request in its order; what is not there is among them. One twice refuses the request. */
function candidatesOf(command: ValidateCommand, facts: Facts): Candidate[] | { refused: ErrorBody } {
  const { catalog, sent, session, now } = command;
  const seen = new Set<string>();
  const candidates: Candidate[] = [];
  const at = { now, zone: zoneOf(command.project) };
  const countsOf = (ref: string, campaign_id: string | null) =>
    facts.countsOf({ ref, campaign_id, api_key_id: command.api_key_id }, at);
  for (const one of sent.redeemables) {
    const found = one.object === "voucher" ? voucherCandidate(one) : tierCandidates(one);
    for (const candidate of found) {
      const name = "unknown" in candidate ? `${candidate.object} ${folded(candidate)}` : candidate.ref;
      if (seen.has(name))
        return {
          refused: errorBody("duplicated_redeemables", {
            details: "Duplicated redeemables detected in one redemption",
          }),
        };
      seen.add(name);
    }
    candidates.push(...found);
  }
  return candidates;

  function folded({ object, id }: Unknown): string {
    return object === "voucher" ? foldCode(id, command.project.case_sensitive_codes) : id;
  }
  function voucherCandidate({ id, gift, reward }: RedeemableSent): Candidate[] {
    const known = facts.voucherOf(command, trimCode(id));
    const redeemable =
      known &&
      voucherRedeemable(
        known,
        { catalog, counts: countsOf(known.row.id, known.row.campaign_id) },
        {
          credits: gift?.credits ?? null,
          reward: reward?.id ? { id: reward.id, points: reward.points ?? null } : null,
          locks: liveLocks(facts.locks.get(known.row.id) ?? [], { now, except: session?.key }),
        },
      );
    return [redeemable ?? unknown({ object: "voucher", id: trimCode(id) })];
  }
  function tierCandidates(sentOne: RedeemableSent): Candidate[] {
    const stack = sentOne.object === "promotion_stack" ? catalog.promotion_stacks.get(sentOne.id) : undefined;
    const found = tiersOf(catalog, sentOne).map((tier) =>
      tierRedeemable(tier, catalog.campaigns.get(tier.campaign_id)!, {
        catalog,
        counts: countsOf(tier.id, tier.campaign_id),
        stackCategory: stack?.category_id ?? null,
      }),
    );
    return found.length > 0 ? found : [unknown(sentOne)];
  }
}

const unknown = ({ object, id }: Pick<RedeemableSent, "object" | "id">): Unknown => ({
  object,
  id,
  unknown: true,
  category_id: null,
  hierarchy: null,
});

/** The locks that hold at a moment, but for those of the caller's own session. */
const liveLocks = (locks: readonly SessionLock[], { now, except }: { now: string; except: string | undefined }) =>
  locks.filter(
    ({ session_key, expires_at }) => session_key !== except && Temporal.Instant.compare(expires_at, now) > 0,
  );

/** What a session holds from now on: of each code that applies one redemption, and the credits or points of it. */
function locksOf({ session, now }: ValidateCommand, { valid, decided }: Decision): SessionLock[] | null {
  if (!valid) return null;
  return decided.flatMap(({ candidate, outcome }) => {
    if (outcome.status !== "APPLICABLE" || candidate.object !== "voucher") return [];
    return [
      {
        redeemable_id: (candidate as Redeemable).ref,
        session_key: session!.key,
        quantity: 1,
        credits: outcome.result.gift?.credits ?? 0,
        points: outcome.result.loyalty_card?.points ?? 0,
        expires_at: sessionEnd(now, session!)!,
      },
    ];
  });
}

/** The next command of the batch sees what this one holds. */
function holdLocks(locks: Facts["locks"], key: string, held: readonly SessionLock[]): void {
  for (const [id, of] of locks)
    locks.set(
      id,
      of.filter(({ session_key }) => session_key !== key),
    );
  for (const lock of held) locks.set(lock.redeemable_id, [...(locks.get(lock.redeemable_id) ?? []), lock]);
}

type Batch = { commands: readonly ValidateCommand[]; decided: readonly Decided[] };

/** Of one session that comes several times, the last that was valid holds what is held. */
async function saveLocks(tx: Tx, projectId: string, { commands, decided }: Batch): Promise<void> {
  const bySession = new Map<string, readonly SessionLock[]>();
  for (const [n, { session }] of commands.entries()) {
    const { locks } = decided[n]!;
    if (locks) bySession.set(session!.key, locks);
  }
  if (bySession.size === 0) return;
  await replaceLocks(tx, projectId, { keys: [...bySession.keys()], locks: [...bySession.values()].flat() });
}

const rowsOf = (decided: readonly Decided[]): ValidationRow[] => decided.flatMap(({ row }) => row ?? []);

/** What is kept of a validation: what a redemption that names it has to give. */
function rowOf({ id, now }: ValidateCommand, { cart, decisions }: Validated): ValidationRow {
  const [first] = decisions;
  const totals = first?.order && totalsOf(first.order);
  const redeemables = decisions.flatMap(({ decided }) =>
    decided.map(({ candidate, outcome }) => ({
      object: candidate.object,
      id: candidate.id,
      status: outcome.status,
      ...(outcome.status === "APPLICABLE" && {
        ...(outcome.result.order && { discount: totalsOf(outcome.result.order).total_applied_discount_amount }),
        ...(outcome.result.gift && { credits: outcome.result.gift.credits }),
        ...(outcome.result.loyalty_card && { points: outcome.result.loyalty_card.points }),
      }),
    })),
  );
  return {
    id,
    customer_id: cart.customer?.id ?? null,
    valid: decisions.some(({ valid }) => valid),
    promise: {
      ...(totals && { total_amount: totals.total_amount, discount: totals.total_discount_amount }),
      redeemables,
    },
    created_at: now,
  };
}
