export const home = {
  title: "Home",
  welcome: "Good to see you, {{name}}.",
  period: "Last 30 days",
  lead: "Where to go next",
};
