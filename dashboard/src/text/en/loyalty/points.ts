export const points = {
  title: "Members and points",
  members: "Members",
  active_one: "{{shown}} is active",
  active_other: "{{shown}} are active",
  issued: "Points issued",
  spent: "Spent",
  removed: "Taken back",
  expired: "Expired",
  outstanding: "Outstanding",
  pending: "and {{shown}} pending",
  expires: "{{shown}} of the outstanding points expire in these three months.",
  noneExpires: "No points expire in this month and the two after it.",
};
