export const home = {
  title: "Home",
  welcome: "Good to see you, {{name}}.",
  top: "Top campaigns",
  noTop: "Nothing was redeemed in this period.",
  redeemed_one: "{{shown}} redemption",
  redeemed_other: "{{shown}} redemptions",
  ending: "Ending soon",
  noEnding: "No campaign ends within the next weeks.",
  budgetUsed: "{{name}} has used {{percent}} of its budget.",
  jobsFailed_one: "{{count}} job failed in the last 7 days.",
  jobsFailed_other: "{{count}} jobs failed in the last 7 days.",
};
