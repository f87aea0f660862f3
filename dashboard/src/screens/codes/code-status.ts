import { listVouchers, type Voucher } from "../../api/operations.gen.ts";
import { useOps } from "../../api/use-ops.ts";
import { STATES } from "./types.ts";

/** In this order: one that has ended and is used up has ended. */
const ASKED = [
  ["EXPIRED", STATES.expired],
  ["USED_UP", STATES.usedUp],
  ["ACTIVE", STATES.active],
] as const;

/** The state of a code, as the filters of the list find it: the server decides, by its clock. Null until it has. */
export function useCodeStatus(voucher: Voucher | undefined): string | null {
  const asked = voucher?.active ? ASKED : [];
  const found = useOps(
    listVouchers,
    asked.map(([, { name, value }]) => ({ ids: [voucher!.id], limit: 1, [name]: value })),
  );
  if (voucher === undefined || found.data === undefined) return null;
  if (!voucher.active) return "DISABLED";
  // On, not over, not used up and not usable: it has not begun.
  return ASKED.find((_, place) => found.data![place]!.total > 0)?.[0] ?? "SCHEDULED";
}
