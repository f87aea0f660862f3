/** `or` is the status with which some operations answer the same key, `also` another message of it. */
export type ErrorEntry = { code: number; or?: number; message: string; also?: string; help: string };

/** The part of the table of errors that only loyalty programs, loyalty cards and referrals have. */
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
  program_outside_validity_window: {
    code: 423,
    message: "Program is outside its validity window",
    help: "The program is valid at another time, in the project's time zone.",
  },
  non_active_member: { code: 423, message: "Member is not active", help: "Activate the member first." },
  pending_points_not_enabled: {
    code: 423,
    message: "Pending points are not enabled",
    help: "The card definition credits points at once: nothing waits.",
  },
  invalid_pending_points_bucket_status: {
    code: 423,
    message: "Invalid pending points bucket status",
    help: "Nothing waits in the bucket any more: list the pending points of the card.",
  },
  invalid_pending_points_bucket_date: {
    code: 423,
    message: "Invalid pending points bucket date",
    help: "The day of the bucket is not in the future: it is settled by itself.",
  },
  points_expiration_not_enabled: {
    code: 423,
    message: "Points expiration is not enabled",
    help: "Points of this card definition never expire.",
  },
  invalid_points_bucket_status: {
    code: 423,
    message: "Invalid points bucket status",
    help: "Nothing is left in the bucket: list the expiring points of the card.",
  },
  non_active_reward: { code: 423, message: "Reward is not active", help: "Activate the reward first." },
  reward_outside_validity_window: {
    code: 423,
    message: "Reward is outside its validity window",
    help: "The reward can be purchased at another time, in the project's time zone.",
  },
  reward_out_of_stock: {
    code: 423,
    message: "Reward stock is not available",
    help: "Set more stock of the reward in the program.",
  },
  reward_purchase_cooldown: {
    code: 423,
    message: "Reward purchase cooldown",
    help: "The member purchased the reward a short time ago: wait for the end of its cooldown.",
  },
  reward_purchase_limit_exceeded: {
    code: 423,
    message: "Reward purchase limit exceeded",
    help: "The member purchased the reward as often as its limit allows in this period.",
  },
  no_matching_reward_cost: {
    code: 423,
    message: "No matching reward cost",
    help: "The member fulfils the rules of none of the reward's costs.",
  },
  no_card_for_cost: {
    code: 423,
    message: "No card for the cost",
    help: "The member has no card of the card definition that the cost names.",
  },
  no_target_card: {
    code: 423,
    message: "No target card",
    help: "The member has no card of the card definition whose points the reward gives.",
  },
  transaction_spending_limit_exceeded: {
    code: 423,
    message: "Transaction spending limit exceeded",
    help: "The card spends fewer points in one transaction.",
  },
  global_spending_limit_exceeded: {
    code: 423,
    message: "Global spending limit exceeded",
    help: "The card has spent as many points as its limit allows, in all or in this period.",
  },
  insufficient_card_balance: {
    code: 423,
    message: "Insufficient card balance",
    help: "The card has too few points.",
  },
  zero_card_balance: { code: 423, message: "Card balance is zero", help: "Spending needs points on the card." },
  pay_with_points_not_enabled: {
    code: 423,
    message: "Pay with points is not enabled",
    help: "Set `pay_with_points` of the card definition.",
  },
  invalid_exchange_ratio: {
    code: 423,
    message: "Invalid exchange ratio",
    help: "For this order the formula of the card definition gives no number above zero.",
  },
  order_canceled: { code: 423, message: "Order is canceled", help: "Pay an order that is not canceled." },
  invalid_reward_transaction_status: {
    code: 409,
    message: "Invalid reward transaction status",
    help: "Only a purchase that was approved is refunded, once.",
  },
  reward_not_refundable: {
    code: 409,
    message: "Reward is not refundable",
    help: "Send the policy `refund: ALLOW`, or make the reward refundable.",
  },
  non_draft_program: {
    code: 423,
    message: "Program is not a draft",
    help: "Card definitions and tier structures are assigned while the program is a draft.",
  },
  campaign_not_active: {
    code: 400,
    message: "Loyalty campaign is not active",
    help: "Activate the campaign, or ask within its dates.",
  },
  campaign_not_allow_auto_join: {
    code: 400,
    message: "Loyalty campaign does not allow auto-join",
    help: "Add the customer as a member first, or let everybody join who earns.",
  },
  loyalty_card_not_active: {
    code: 400,
    message: "Loyalty card is not active",
    help: "Enable the card of the customer, or ask within its dates.",
  },
  invalid_pending_points_state: {
    code: 400,
    message: "Invalid pending points state",
    help: "These points wait no more: they were activated or canceled.",
  },
  invalid_balance: {
    code: 400,
    message: "Property 'parameters.campaign.balance' is invalid",
    help: "Send a balance above zero: it is what a card of that campaign gets.",
  },
  missing_param: {
    code: 400,
    message: "Missing required parameter",
    help: "Send the parameter that `details` names.",
  },
  referral_self_redemption: {
    code: 400,
    message: "Customer cannot be referred by themselves",
    help: "A referral code is for others than the one who shares it: another customer with another e-mail address.",
  },
  not_published: {
    code: 400,
    message: "Voucher is not published",
    help: "Publish the referral code to its referrer first.",
  },
} as const satisfies Record<string, ErrorEntry>;
