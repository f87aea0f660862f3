export const worth = {
  percent: "{{percent}} % Rabatt",
  percentUpTo: "{{percent}} % Rabatt, höchstens {{limit}}",
  amount: "{{amount}} Rabatt",
  fixed: "für {{amount}}",
  units_one: "{{count}} Stück gratis",
  units_other: "{{count}} Stück gratis",
  formula: "einen Rabatt nach einer Formel",
  gift: "noch {{amount}}",
  points_one: "{{points}} Punkt",
  points_other: "{{points}} Punkte",
};
