/** `or` is the status with which some operations answer the same key, `also` another message of it. */
export type ErrorEntry = { code: number; or?: number; message: string; also?: string; help: string };

/** The part of the table of errors that only loyalty programs, loyalty cards and referrals have. */
export const LOYALTY_ERRORS = {
  invalid_state_transition: {
    code: 409,
    or: 400,
    message: "Invalid state transition",
    help: "Read `details`: the current status does not allow this change.",
  },
  tier_overlap: {
    code: 409,
    message: "Tier overlap",
    help: "Choose points that no other tier of the structure covers. Only the highest tier may have no upper end.",
  },
  tier_limit_exceeded: {
    code: 409,
    message: "Tier limit exceeded",
    help: "A tier structure has at most 100 tiers.",
  },
  member_already_exists: {
    code: 409,
    message: "Member already exists",
    help: "The customer is already a member of the program. Read the membership instead.",
  },
  tier_structure_limit_exceeded: {
    code: 409,
    message: "Tier structure limit exceeded",
    help: "Unassign the other tier structure first: a program has at most one.",
  },
  connected_active_earning_rule: {
    code: 423,
    message: "Connected active earning rule",
    help: "Deactivate the earning rules that `related_object_ids` names, or change what they give.",
  },
  resource_locked: {
    code: 423,
    message: "Resource locked",
    help: "Read `details`: an object that uses this one, or that this one uses, does not allow the change now.",
  },
  member_limit_exceeded: {
    code: 423,
    message: "Member limit exceeded",
    help: "A program has at most 100,000 members.",
  },
  missing_active_earning_rule: {
    code: 423,
    message: "Missing active earning rule",
    help: "Assign an active earning rule. An active program needs at least one.",
  },
  missing_active_card_definition: {
    code: 423,
    message: "Missing active card definition",
    help: "Assign an active card definition.",
  },
  non_active_program: {
    code: 423,
    message: "Program is not active",
    help: "Activate the program first.",
  },
  program_outside_validity_window: {
    code: 423,
    message: "Program is outside its validity window",
    help: "Try within the dates and hours of the program. They are in the project's time zone.",
  },
  non_active_member: { code: 423, message: "Member is not active", help: "Activate the member first." },
  pending_points_not_enabled: {
    code: 423,
    message: "Pending points are not enabled",
    help: "This card definition has no pending points: members can spend points at once.",
  },
  invalid_pending_points_bucket_status: {
    code: 423,
    message: "Invalid pending points bucket status",
    help: "The bucket has no pending points any more. List the pending points of the card.",
  },
  invalid_pending_points_bucket_date: {
    code: 423,
    message: "Invalid pending points bucket date",
    help: "The date of the bucket is not in the future. Laurel settles it automatically.",
  },
  points_expiration_not_enabled: {
    code: 423,
    message: "Points expiration is not enabled",
    help: "Points of this card definition never expire.",
  },
  invalid_points_bucket_status: {
    code: 423,
    message: "Invalid points bucket status",
    help: "The bucket is empty. List the expiring points of the card.",
  },
  non_active_reward: { code: 423, message: "Reward is not active", help: "Activate the reward first." },
  reward_outside_validity_window: {
    code: 423,
    message: "Reward is outside its validity window",
    help: "Try within the dates and hours of the reward. They are in the project's time zone.",
  },
  reward_out_of_stock: {
    code: 423,
    message: "Reward stock is not available",
    help: "Raise the stock of the reward in the program.",
  },
  reward_purchase_cooldown: {
    code: 423,
    message: "Reward purchase cooldown",
    help: "The member purchased the reward recently. Wait for the end of its cooldown.",
  },
  reward_purchase_limit_exceeded: {
    code: 423,
    message: "Reward purchase limit exceeded",
    help: "The member reached the purchase limit of the reward for this period.",
  },
  no_matching_reward_cost: {
    code: 423,
    message: "No matching reward cost",
    help: "The member does not meet the rules of any cost of the reward.",
  },
  no_card_for_cost: {
    code: 423,
    message: "No card for the cost",
    help: "The member has no card of the card definition that the cost names.",
  },
  no_target_card: {
    code: 423,
    message: "No target card",
    help: "The member has no card of the card definition that the reward gives points for.",
  },
  transaction_spending_limit_exceeded: {
    code: 423,
    message: "Transaction spending limit exceeded",
    help: "Spend fewer points at once: the card has a limit for one transaction.",
  },
  global_spending_limit_exceeded: {
    code: 423,
    message: "Global spending limit exceeded",
    help: "The card reached its spending limit, in total or for this period.",
  },
  insufficient_card_balance: {
    code: 423,
    message: "Insufficient card balance",
    help: "The card does not have enough points.",
  },
  zero_card_balance: { code: 423, message: "Card balance is zero", help: "The card has no points to spend." },
  pay_with_points_not_enabled: {
    code: 423,
    message: "Pay with points is not enabled",
    help: "Set `pay_with_points` on the card definition.",
  },
  invalid_exchange_ratio: {
    code: 423,
    message: "Invalid exchange ratio",
    help: "Correct the formula of the card definition: for this order it gives no number above zero.",
  },
  order_canceled: { code: 423, message: "Order is canceled", help: "Pay an order that is not canceled." },
  invalid_reward_transaction_status: {
    code: 409,
    message: "Invalid reward transaction status",
    help: "You can refund only an approved purchase, and only once.",
  },
  reward_not_refundable: {
    code: 409,
    message: "Reward is not refundable",
    help: "Send the policy `refund: ALLOW`, or make the reward refundable.",
  },
  non_draft_program: {
    code: 423,
    message: "Program is not a draft",
    help: "You can assign card definitions and tier structures only while the program is a draft.",
  },
  campaign_not_active: {
    code: 400,
    message: "Loyalty campaign is not active",
    help: "Activate the campaign, or send the request within its dates.",
  },
  campaign_not_allow_auto_join: {
    code: 400,
    message: "Loyalty campaign does not allow auto-join",
    help: "Add the customer as a member first, or let customers join automatically when they earn.",
  },
  loyalty_card_not_active: {
    code: 400,
    message: "Loyalty card is not active",
    help: "Enable the customer's card, or send the request within its dates.",
  },
  invalid_pending_points_state: {
    code: 400,
    message: "Invalid pending points state",
    help: "These points are not pending any more: they were activated or canceled.",
  },
  invalid_balance: {
    code: 400,
    message: "Property 'parameters.campaign.balance' is invalid",
    help: "Send a balance above zero. A card of that campaign gets this balance.",
  },
  missing_param: {
    code: 400,
    message: "Missing required parameter",
    help: "Send the parameter that `details` names.",
  },
  referral_self_redemption: {
    code: 400,
    message: "Customer cannot be referred by themselves",
    help: "Send another customer with another e-mail address: a referrer cannot use their own referral code.",
  },
  not_published: {
    code: 400,
    message: "Voucher is not published",
    help: "Publish the referral code to its referrer first.",
  },
} as const satisfies Record<string, ErrorEntry>;
