export const redemptions = { title: "Einlösungen", receipt: "Beleg" };
