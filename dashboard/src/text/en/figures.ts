export const figures = {
  redemptions: "Redemptions",
  rollbacks: "Rolled back",
  discount: "Discount given",
  gift_credits: "Gift credits spent",
  points_issued: "Points issued",
  points_spent: "Points spent",
  revenue: "Revenue before discounts",
  orders: "Orders",
  refusals: "Refusals",
  unique_customers: "Customers",
  says: "{{total}} in all, and {{most}} on {{day}}, the day with the most.",
  saysNothing: "Nothing happened in this period.",
};
