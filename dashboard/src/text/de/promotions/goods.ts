/** Welche Produkte ein Rabatt betrifft. */
export const goods = {
  title: "Welche Produkte",
  which: { all: "Alle Produkte", only: "Nur diese", except: "Alle außer diesen" },
  picked: "Ausgewählte Produkte",
  add: "Produkt oder Variante hinzufügen",
  missing: "Wählen Sie mindestens ein Produkt oder eine Sammlung, oder alle Produkte.",
  wholeOrder: "Ein Rabatt auf die ganze Bestellung betrifft alle Produkte. Wählen Sie bei „Gilt für“ etwas anderes.",
  shared: "Auch andere benutzen die Regel „{{name}}“: Eine Änderung hier legt eine neue an.",
  closed: "Die Regeln sagen mehr über Produkte, als dieses Formular zeigen kann.",
  more: "{{count}} mehr",
  allExcept: "alles außer {{goods}}",
  off: "{{worth}} auf {{goods}}",
  offOn: "{{worth}} auf {{goods}}",
  atPrice: "{{goods}} {{worth}}",
  change: "Produkte ändern",
  some: "einige Produkte",
  emptyRule: "Sie verlangt nichts.",
};
