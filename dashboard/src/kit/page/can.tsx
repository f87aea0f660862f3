import type { ReactNode } from "react";
import { useCan } from "../../api/session.ts";

/** Shows what is inside to who may call an operation. Everybody else does not see that it is there. */
export function Can({ do: operation, children }: { do: string; children: ReactNode }) {
  return useCan()(operation) ? children : null;
}
