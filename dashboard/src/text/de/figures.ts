export const figures = {
  redemptions: "Einlösungen",
  rollbacks: "Zurückgenommen",
  discount: "Gewährter Rabatt",
  gift_credits: "Ausgegebenes Guthaben",
  points_issued: "Vergebene Punkte",
  points_spent: "Eingelöste Punkte",
  revenue: "Umsatz vor Rabatten",
  orders: "Bestellungen",
  refusals: "Ablehnungen",
  unique_customers: "Kunden",
  says: "{{total}} insgesamt, am meisten am {{day}}: {{most}}.",
  saysNothing: "In diesem Zeitraum ist nichts geschehen.",
};
