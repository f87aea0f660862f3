import type { ErrorEntry } from "../errors.ts";

/** The part of the table of errors that only loyalty programs have. */
export const LOYALTY_ERRORS = {
  invalid_state_transition: {
    code: 409,
    or: 400,
    message: "Invalid state transition",
    help: "Read `details`: from the status it has now it cannot go there.",
  },
  tier_overlap: {
    code: 409,
    message: "Tier overlap",
    help: "Choose points that no other tier of the structure covers; a tier without an end is the highest.",
  },
  tier_limit_exceeded: {
    code: 409,
    message: "Tier limit exceeded",
    help: "A tier structure has no more than 100 tiers.",
  },
  member_already_exists: {
    code: 409,
    message: "Member already exists",
    help: "The customer is a member of the program: read the membership instead.",
  },
  tier_structure_limit_exceeded: {
    code: 409,
    message: "Tier structure limit exceeded",
    help: "A program has one tier structure at most: unassign the other one first.",
  },
  connected_active_earning_rule: {
    code: 423,
    message: "Connected active earning rule",
    help: "Deactivate the earning rules that `related_object_ids` names, or let them give something else.",
  },
  resource_locked: {
    code: 423,
    message: "Resource locked",
    help: "Read `details`: what it is used by, or what it uses, does not allow it now.",
  },
  member_limit_exceeded: {
    code: 423,
    message: "Member limit exceeded",
    help: "A program has 100,000 members at most.",
  },
  missing_active_earning_rule: {
    code: 423,
    message: "Missing active earning rule",
    help: "Assign an earning rule that is active; an active program keeps one.",
  },
  missing_active_card_definition: {
    code: 423,
    message: "Missing active card definition",
    help: "Assign a card definition that is active.",
  },
  non_active_program: {
    code: 423,
    message: "Program is not active",
    help: "Activate the program first.",
  },
  non_draft_program: {
    code: 423,
    message: "Program is not a draft",
    help: "Card definitions and tier structures are assigned while the program is a draft.",
  },
} as const satisfies Record<string, ErrorEntry>;
