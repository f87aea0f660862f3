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
  webhookOff:
    "Der Webhook {{target}} wurde am {{time}} abgeschaltet: Seine Nachrichten kamen einen Tag lang nicht an. Schalten Sie ihn ein, sobald seine Adresse wieder antwortet.",
  webhookFails:
    "Der Webhook {{target}} schlägt fehl: {{failed}} seiner letzten {{of}} Nachrichten sind nicht angekommen.",
  jobsLate_one: "{{count}} Auftrag steht still.",
  jobsLate_other: "{{count}} Aufträge stehen still.",
  jobsFailed_one: "{{count}} Auftrag ist in den letzten 7 Tagen fehlgeschlagen.",
  jobsFailed_other: "{{count}} Aufträge sind in den letzten 7 Tagen fehlgeschlagen.",
};
