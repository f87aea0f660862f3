/** Welche Produkte ein Rabatt betrifft. */
export const goods = {
  title: "Welche Produkte",
  which: { all: "Alle Produkte", only: "Nur diese", except: "Alle außer diesen" },
  picked: "Ausgewählte Produkte",
  add: "Produkt oder Variante hinzufügen",
  addHelp: "Nach dem Namen des Produkts suchen",
  addCollection: "Sammlung hinzufügen",
  addCollectionHelp: "Sammlung wählen",
  missing: "Wählen Sie mindestens ein Produkt oder eine Sammlung, oder alle Produkte.",
  wholeOrder: "Ein Rabatt auf die ganze Bestellung betrifft alle Produkte. Wählen Sie bei „Gilt für“ etwas anderes.",
  shared:
    "Das steht in der Regel „{{name}}“, die auch andere benutzen. Eine Änderung hier legt eine eigene Regel dafür an.",
  closed:
    "Die Regeln sagen mehr über Produkte, als dieses Formular zeigen kann. Sie werden über die Schnittstelle geändert.",
  more_one: "{{count}} weiteres",
  more_other: "{{count}} weitere",
  allExcept: "alles außer {{goods}}",
  off: "{{worth}} auf {{goods}}",
  offOn: "{{worth}} auf {{goods}}",
  atPrice: "{{goods}} {{worth}}",
  change: "Produkte ändern",
  all: "Alle Produkte",
  inRules: "Mehrere Regeln nennen Produkte.",
};
