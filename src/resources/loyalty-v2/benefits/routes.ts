import { listActivities } from "../../../events/activities.ts";
import { createBenefit, moveBenefit, removeBenefit, updateBenefit } from "../../../flows/loyalty-v2/save-benefit.ts";
import { cursorList, read, write } from "../../../http/route.ts";
import { ActivityQuery, activityListOf } from "../../../http/schemas.ts";
import { Benefit, BenefitCreate, BenefitList, BenefitQuery, BenefitUpdate, ByBenefit } from "./schema.ts";
import { benefits as store, view } from "./store.ts";

const ACTIVITIES = { id: "laben", cursor: "lcrsaben", field: "benefit_id" } as const;

export const loyaltyBenefitRoutes = [
  read(
    "GET /v2/loyalties/benefits",
    { id: "listBenefits", summary: "List benefits", query: BenefitQuery, ok: BenefitList },
    async (c) => cursorList(await store.list(c.db, c, c.query), view),
  ),
  write(
    "POST /v2/loyalties/benefits",
    { id: "createBenefit", summary: "Create a benefit", body: BenefitCreate, ok: Benefit },
    async (c) => createBenefit(c, c.body),
  ),
  read(
    "GET /v2/loyalties/benefits/{benefitId}",
    { id: "getBenefit", summary: "Read a benefit", params: ByBenefit, ok: Benefit },
    async (c) => view(await store.get(c.db, c.project.id, c.params.benefitId)),
  ),
  write(
    "PUT /v2/loyalties/benefits/{benefitId}",
    {
      id: "updateBenefit",
      summary: "Update a benefit",
      description: "One that is active keeps everything but its name and its stock.",
      params: ByBenefit,
      body: BenefitUpdate,
      ok: Benefit,
    },
    async (c) => updateBenefit(c, c.params.benefitId, c.body),
  ),
  write(
    "DELETE /v2/loyalties/benefits/{benefitId}",
    { id: "deleteBenefit", summary: "Delete a benefit that no earning rule gives", params: ByBenefit, ok: Benefit },
    async (c) => removeBenefit(c, c.params.benefitId),
  ),
  write(
    "POST /v2/loyalties/benefits/{benefitId}/activate",
    { id: "activateBenefit", summary: "Activate a benefit", params: ByBenefit, ok: Benefit },
    async (c) => moveBenefit(c, c.params.benefitId, "activate"),
  ),
  write(
    "POST /v2/loyalties/benefits/{benefitId}/draft",
    { id: "draftBenefit", summary: "Make a benefit a draft again", params: ByBenefit, ok: Benefit },
    async (c) => moveBenefit(c, c.params.benefitId, "draft"),
  ),
  read(
    "GET /v2/loyalties/benefits/{benefitId}/activities",
    {
      id: "listBenefitActivities",
      summary: "List what happened to a benefit",
      params: ByBenefit,
      query: ActivityQuery,
      ok: activityListOf("benefit_id"),
    },
    async (c) => {
      const { id } = await store.get(c.db, c.project.id, c.params.benefitId);
      return cursorList(await listActivities(c, { list: ACTIVITIES, of: id }, c.query), (activity) => activity);
    },
  ),
];
