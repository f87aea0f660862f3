/** Which products a discount takes. */
export const goods = {
  title: "Which products",
  which: { all: "All products", only: "Only these", except: "All except these" },
  picked: "Chosen products",
  add: "Add a product or a variant",
  missing: "Choose at least one product or collection, or take all products.",
  wholeOrder: "A discount on the whole order takes every product. Choose something else under “Applies to”.",
  shared: "Others use the rule “{{name}}” too: a change here makes a new one.",
  closed: "Its rules say more about products than this form can show.",
  more: "{{count}} more",
  allExcept: "everything except {{goods}}",
  off: "{{worth}} {{goods}}",
  offOn: "{{worth}} on {{goods}}",
  atPrice: "{{goods}} {{worth}}",
  change: "Change the products",
  some: "some products",
  emptyRule: "It asks for nothing.",
};
