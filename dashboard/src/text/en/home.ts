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
  webhookOff:
    "The webhook {{target}} was switched off on {{time}}: its messages did not arrive for a day. Switch it on once its address answers again.",
  webhookFails: "The webhook {{target}} fails: {{failed}} of its last {{of}} messages have not arrived.",
  jobsLate_one: "{{count}} job stands still.",
  jobsLate_other: "{{count}} jobs stand still.",
  jobsFailed_one: "{{count}} job failed in the last 7 days.",
  jobsFailed_other: "{{count}} jobs failed in the last 7 days.",
};
