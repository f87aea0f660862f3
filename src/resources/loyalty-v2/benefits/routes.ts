import { createBenefit, moveBenefit, removeBenefit, updateBenefit } from "../../../flows/loyalty-v2/save-benefit.ts";
import { statusRoutes } from "../../../http/status-routes.ts";
import { Benefit, BenefitCreate, BenefitList, BenefitQuery, BenefitUpdate, ByBenefit } from "./schema.ts";
import { benefits as store, view } from "./store.ts";

export const loyaltyBenefitRoutes = statusRoutes({
  resource: "benefit",
  words: "a benefit",
  store,
  view,
  params: ByBenefit,
  query: BenefitQuery,
  ok: { one: Benefit, list: BenefitList },
  body: { create: BenefitCreate, update: BenefitUpdate },
  flow: { create: createBenefit, update: updateBenefit, remove: removeBenefit, move: moveBenefit },
  activities: { id: "laben", cursor: "lcrsaben" },
  specs: {
    update: { description: "One that is active keeps everything but its name and its stock." },
    delete: { summary: "Delete a benefit that no earning rule gives" },
  },
});
