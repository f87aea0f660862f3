export const worth = {
  percent: "{{percent}}% off",
  percentUpTo: "{{percent}}% off, at most {{limit}}",
  amount: "{{amount}} off",
  fixed: "for {{amount}}",
  units_one: "{{count}} unit free",
  units_other: "{{count}} units free",
  formula: "a discount by a formula",
  gift: "{{amount}} left",
  points_one: "{{points}} point",
  points_other: "{{points}} points",
};
