export const redemptions = { title: "Redemptions", receipt: "Receipt" };
