import { ApiError, notFound } from "../../errors.ts";
import { inUse, type UsedBy } from "../../in-use.ts";

export type LoyaltyStatus = "DRAFT" | "ACTIVE" | "INACTIVE" | "DELETED";
export type LoyaltyMove = "activate" | "deactivate" | "draft";
/** The status with which a move that is not allowed is answered, and from where each move is. */
type Machine = { illegal: 400 | 409; from: Partial<Record<LoyaltyMove, readonly LoyaltyStatus[]>> };

/** How each resource moves between its statuses. Deleting is possible from every one of them but DELETED. */
export const STATUS_MACHINES = {
  program: { illegal: 400, from: { activate: ["DRAFT", "INACTIVE"], deactivate: ["ACTIVE"] } },
  card_definition: { illegal: 409, from: { activate: ["DRAFT", "INACTIVE"], draft: ["ACTIVE"] } },
  earning_rule: {
    illegal: 409,
    from: { activate: ["DRAFT", "INACTIVE"], deactivate: ["ACTIVE"], draft: ["ACTIVE"] },
  },
  // One that is active can be activated again: nothing happens.
  tier_structure: {
    illegal: 409,
    from: { activate: ["DRAFT", "ACTIVE", "INACTIVE"], deactivate: ["ACTIVE"], draft: ["ACTIVE"] },
  },
  benefit: { illegal: 400, from: { activate: ["DRAFT"], draft: ["ACTIVE"] } },
  reward: { illegal: 409, from: { activate: ["DRAFT", "INACTIVE"], deactivate: ["ACTIVE"], draft: ["ACTIVE"] } },
  member: { illegal: 400, from: { activate: ["INACTIVE"], deactivate: ["ACTIVE"] } },
} as const satisfies Record<string, Machine>;
export type LoyaltyResource = keyof typeof STATUS_MACHINES;

const STATUS_AFTER = { activate: "ACTIVE", deactivate: "INACTIVE", draft: "DRAFT" } as const;
export const MOVED = { activate: "activated", deactivate: "deactivated", draft: "drafted" } as const;

/** The status after a move, or the refusal of a move that the resource does not make from where it is. */
export function statusAfter(
  resource: LoyaltyResource,
  move: LoyaltyMove,
  { id, status }: { id: string; status: LoyaltyStatus },
): "ACTIVE" | "INACTIVE" | "DRAFT" {
  if (status === "DELETED") throw notFound(resource, id);
  const { illegal, from }: Machine = STATUS_MACHINES[resource];
  if (from[move]?.includes(status)) return STATUS_AFTER[move];
  throw new ApiError("invalid_state_transition", {
    code: illegal,
    details: `Cannot ${move} ${resource.replace("_", " ")} from current state: '${status}'`,
    resource_id: id,
    resource_type: resource,
  });
}

/** The refusal to delete or change what others use. 400 for benefits and rewards, 409 for everything else. */
export const loyaltyInUse = (
  type: Exclude<LoyaltyResource, "member">,
  id: string,
  by: Omit<UsedBy, "named">,
): ApiError =>
  inUse({ type, id }, { ...by, named: by.type }, { code: type === "benefit" || type === "reward" ? 400 : 409 });
