export const home = {
  title: "Start",
  welcome: "Schön, Sie zu sehen, {{name}}.",
  top: "Stärkste Kampagnen",
  noTop: "In diesem Zeitraum wurde nichts eingelöst.",
  redeemed_one: "{{shown}} Einlösung",
  redeemed_other: "{{shown}} Einlösungen",
  ending: "Enden bald",
  noEnding: "In den nächsten Wochen endet keine Kampagne.",
  budgetUsed: "{{name}} hat {{percent}} des Budgets verbraucht.",
  jobsFailed_one: "{{count}} Auftrag ist in den letzten 7 Tagen fehlgeschlagen.",
  jobsFailed_other: "{{count}} Aufträge sind in den letzten 7 Tagen fehlgeschlagen.",
};
