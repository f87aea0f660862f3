/** Die Angebote einer Aktion, eines nach dem anderen. */
export const offers = {
  place: "Reihenfolge",
  placeHelp:
    "Shops bekommen die Angebote in dieser Reihenfolge. Welche sich in einer Bestellung verbinden, entscheiden der Shop und die Regeln zum Kombinieren.",
  edit: "Angebot bearbeiten",
  actions: "Aktionen für {{name}}",
  added: "Das Angebot ist da.",
  bannerHelp: "Shops zeigen ihn den Kunden.",
  active: "Eingeschaltet",
  activeHelp: "Ein ausgeschaltetes Angebot bleibt hier und gilt für niemanden.",
  ruleHelp: "Eine Regel, die erfüllt sein muss. Weitere können Sie hinzufügen, wenn das Angebot da ist.",
  enabled: "{{name}} ist eingeschaltet",
  disabled: "{{name}} ist ausgeschaltet",
  delete: "Angebot löschen…",
  deleteSays_one: "{{name}} gilt dann für niemanden mehr. Es wurde {{count}}-mal eingelöst; diese Einlösung bleibt.",
  deleteSays_other:
    "{{name}} gilt dann für niemanden mehr. Es wurde {{count}}-mal eingelöst; diese Einlösungen bleiben.",
  deleteAct: "{{name}} löschen",
  deleted: "{{name}} ist gelöscht",
};
