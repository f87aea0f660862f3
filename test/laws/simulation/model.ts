/** What a shop with codes, cards, limits and sessions must do, as plainly as it can be said. No database, no batches. */
export type Code = {
  quantity: number | null;
  balance: number | null;
  /** What it holds are points, which only its holder spends. */
  isPoints?: true;
  active: boolean;
  expiresAt: number | null;
  /** Whose number of redemptions has a limit. */
  campaign: string | null;
  /** Which rule holds for it. */
  rule: "per customer" | "daily" | null;
  /** The customer it was given to. */
  holder: string | null;
};
export type Part = { code: string; credits: number };
type Redeemed = { id: string; parts: readonly Part[]; customer: string | null; at: number; isBack: boolean };
type Lock = Part & { until: number };

export type Model = {
  now: number;
  codes: Map<string, Code>;
  limits: { campaign: number; "per customer": number; daily: number };
  redeemed: Map<string, Redeemed>;
  sessions: Map<string, Lock[]>;
};

export const emptyModel = (now: number): Model => ({
  now,
  codes: new Map(),
  limits: { campaign: 30, "per customer": 2, daily: 4 },
  redeemed: new Map(),
  sessions: new Map(),
});

/** What counts: successes that were not rolled back. */
const countWhere = ({ redeemed }: Model, holds: (part: Part, of: Redeemed) => boolean): number =>
  [...redeemed.values()]
    .filter(({ isBack }) => !isBack)
    .reduce((sum, one) => sum + one.parts.filter((part) => holds(part, one)).length, 0);

export const timesRedeemed = (model: Model, code: string): number => countWhere(model, (part) => part.code === code);

export const balanceOf = (model: Model, code: string): number | null => {
  const { balance } = model.codes.get(code)!;
  if (balance === null) return null;
  const spent = [...model.redeemed.values()]
    .filter(({ isBack }) => !isBack)
    .flatMap(({ parts }) => parts.filter((part) => part.code === code));
  return spent.reduce((left, { credits }) => left - credits, balance);
};

const locksOf = (model: Model, code: string, except: string | null): Lock[] =>
  [...model.sessions].flatMap(([key, locks]) =>
    key === except ? [] : locks.filter((lock) => lock.code === code && lock.until > model.now),
  );

const DAY = 86_400_000;
const dayOf = (at: number) => Math.floor(at / DAY);

export type OrderAsked = { parts: readonly Part[]; customer: string | null; session: string | null };

/** Every reason for which it is refused, as the keys of the interface; none: it is done. */
export function reasonsAgainst(model: Model, { parts, customer, session }: OrderAsked): Set<string> {
  const reasons = new Set<string>();
  let inCampaign = countWhere(model, ({ code }) => model.codes.get(code)!.campaign !== null);
  for (const { code: name, credits } of parts) {
    const code = model.codes.get(name);
    if (!code) {
      reasons.add("not_found");
      continue;
    }
    const locks = locksOf(model, name, session);
    const times = timesRedeemed(model, name);
    if (!code.active) reasons.add("voucher_disabled");
    if (code.expiresAt !== null && code.expiresAt < model.now) reasons.add("voucher_expired");
    if (code.quantity !== null && times + locks.length >= code.quantity) reasons.add("quantity_exceeded");
    if (code.balance !== null) {
      const held = locks.reduce((sum, lock) => sum + lock.credits, 0);
      if (credits > balanceOf(model, name)! - held)
        reasons.add(code.isPoints ? "loyalty_card_points_exceeded" : "gift_amount_exceeded");
    }
    if (code.isPoints && customer !== code.holder) {
      reasons.add("invalid_customer");
    }
    if (code.campaign !== null) {
      inCampaign += 1;
      if (inCampaign > model.limits.campaign) reasons.add("redemption_rules_violated");
    }
    if (code.rule === "per customer") {
      if (customer === null) reasons.add("missing_customer");
      const own = countWhere(model, (part, of) => part.code === name && of.customer === customer);
      if (own >= model.limits["per customer"]) reasons.add("redemption_rules_violated");
    }
    if (code.rule === "daily") {
      const today = countWhere(model, (part, { at }) => part.code === name && dayOf(at) === dayOf(model.now));
      if (today >= model.limits.daily) reasons.add("redemption_rules_violated");
    }
  }
  return reasons;
}

export function redeem(model: Model, id: string, { parts, customer, session }: OrderAsked): void {
  model.redeemed.set(id, { id, parts, customer, at: model.now, isBack: false });
  if (session !== null) model.sessions.delete(session);
}

export function hold(model: Model, { parts, session }: OrderAsked, until: number): void {
  model.sessions.set(
    session!,
    parts.map((part) => ({ ...part, until })),
  );
}

/** Whether the session held something of the code; it does not any more. */
export function release(model: Model, session: string, code: string): boolean {
  const locks = model.sessions.get(session) ?? [];
  const held = locks.filter((lock) => lock.code === code && lock.until > model.now);
  model.sessions.set(
    session,
    locks.filter((lock) => !held.includes(lock)),
  );
  return held.length > 0;
}
