/** The offers of a promotion, one by one. */
export const offers = {
  place: "Order",
  placeHelp:
    "Shops get the offers in this order. Which of them combine on one order, the shop and the stacking rules decide.",
  edit: "Edit the offer",
  actions: "Actions for {{name}}",
  added: "The offer is there.",
  bannerHelp: "Shops show it to customers.",
  active: "Switched on",
  activeHelp: "An offer that is switched off stays here and applies to nobody.",
  ruleHelp: "A rule that has to hold. More rules can be added when the offer is there.",
  enabled: "{{name}} is switched on",
  disabled: "{{name}} is switched off",
  delete: "Delete the offer…",
  deleteSays_one: "{{name}} applies to nobody any more. It was redeemed {{count}} time; this redemption stays.",
  deleteSays_other: "{{name}} applies to nobody any more. It was redeemed {{count}} times; these redemptions stay.",
  deleteAct: "Delete {{name}}",
  deleted: "{{name}} is deleted",
};
