import { statusOf } from "../../api/errors.ts";
import {
  getCustomer,
  getLoggedRequest,
  getOrder,
  getRedemption,
  getRefusal,
  getVoucher,
  type KeptRefusal,
  listCustomers,
  listRefusals,
  searchProject,
} from "../../api/operations.gen.ts";
import { useCan } from "../../api/session.ts";
import { useOp } from "../../api/use-op.ts";

/** How many refusals are read at once. */
const REFUSALS_SHOWN = 20;
const REFUSAL = /^rfsl_/;
const REQUEST = /^v-[0-9a-f]+$/;
/** Also one that failed: `rf_`. */
const REDEMPTION = /^rf?_/;
const SEARCH_SHORTEST = 2;

const isMissing = (error: unknown) => error !== null && statusOf(error) === 404;

/** All that is known under a name: what it is itself, and what was refused. A name may be that of several things. */
export function useCase(q: string) {
  const can = useCan();
  const isName = q !== "" && !REFUSAL.test(q) && !REQUEST.test(q);
  const isEmail = q.includes("@");
  const voucher = useOp(getVoucher, { code: q }, { enabled: isName && !isEmail });
  const customer = useOp(getCustomer, { customerId: q }, { enabled: isName && !isEmail });
  const byEmail = useOp(listCustomers, { email: q, limit: 1 }, { enabled: isEmail });
  const order = useOp(getOrder, { orderId: q }, { enabled: isName && !isEmail });
  const redemption = useOp(getRedemption, { redemptionId: q }, { enabled: REDEMPTION.test(q) });
  const request = useOp(getLoggedRequest, { requestId: q }, { enabled: REQUEST.test(q) && can("getLoggedRequest") });
  const search = useOp(searchProject, { q }, { enabled: q.length >= SEARCH_SHORTEST && can("searchProject") });
  const single = useOp(getRefusal, { refusalId: q }, { enabled: REFUSAL.test(q) });

  const person = customer.data ?? byEmail.data?.customers[0] ?? null;
  const who = person?.id ?? order.data?.customer?.id ?? redemption.data?.customer_id ?? null;
  const limit = REFUSALS_SHOWN;
  const all = useOp(listRefusals, { limit }, { enabled: q === "" });
  const ofCode = useOp(listRefusals, { code: q, limit }, { enabled: isName && !isEmail });
  const ofRequest = useOp(
    listRefusals,
    { request_id: q, limit },
    { enabled: q !== "" && !isEmail && !REFUSAL.test(q) },
  );
  const ofPerson = useOp(listRefusals, { customer: who ?? "", limit }, { enabled: who !== null });

  const asked = [
    ...[voucher, customer, byEmail, order, redemption, request, search],
    ...[single, all, ofCode, ofRequest, ofPerson],
  ];
  const lists = [ofCode, ofRequest, ofPerson, ...(q === "" ? [all] : [])];
  const found = new Map<string, KeptRefusal>();
  for (const { data } of lists) for (const one of data?.data ?? []) found.set(one.id, one);
  if (single.data) found.set(single.data.id, single.data);
  return {
    voucher: voucher.data ?? null,
    customer: person,
    order: order.data ?? null,
    redemption: redemption.data ?? null,
    request: request.data ?? null,
    /** What begins so, or holds it: for who does not know the whole name. */
    similar: (search.data?.results ?? []).filter(({ id, score }) => score < 1 && id !== q && id !== person?.id),
    refusals: [...found.values()].sort((a, b) => b.created_at.localeCompare(a.created_at)),
    hasMore: lists.some(({ data }) => data?.has_more === true),
    isLoading: asked.some(({ isLoading }) => isLoading),
    error: asked.find(({ error }) => error !== null && !isMissing(error))?.error ?? null,
    retry: () => {
      for (const one of asked) if (one.error && !isMissing(one.error)) void one.refetch();
    },
  };
}
export type Case = ReturnType<typeof useCase>;
