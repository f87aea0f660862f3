import type { Redemption } from "../api/operations.gen.ts";
import { status } from "../kit/list/columns.tsx";
import { StatusBadge } from "../kit/status/status-badge.tsx";
import type { TextKey } from "../text/text.ts";

const resultOf = ({ object, status }: Redemption): string => (object === "redemption_rollback" ? object : status);

/** How a redemption ended. A rollback has a row of its own in lists: it is no redemption that succeeded. */
export const redemptionResult = (title: TextKey) =>
  status<Redemption>(title, "status", {
    cell: (row) => <StatusBadge status={resultOf(row)} />,
    csv: resultOf,
  });
