export const locations = {
  title: "Orte",
  search: "Teil eines Namens",
  empty: "Es gibt keine Orte.",
  emptyHelp: "Regeln können fragen, ob jemand an einem davon ist.",
  name: "Name",
  shape: "Form",
  circle: "{{radius}} um {{center}}",
  area: "Gebiet auf der Karte",
  created: "Angelegt",
  id: "Id",
};
