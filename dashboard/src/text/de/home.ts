export const home = {
  title: "Start",
  welcome: "Schön, Sie zu sehen, {{name}}.",
  period: "Letzte 30 Tage",
  lead: "Wohin als Nächstes",
};
