import { type Static, Type } from "typebox";
import { orderFields } from "../../../core/order/schema.ts";
import { CustomerInBody, open, optional } from "../../../http/schemas.ts";

export const ByProgram = Type.Object({ campaignId: Type.String({ description: "Its id or its name." }) });
export const EstimationBody = open({ customer: CustomerInBody, order: open(optional(orderFields)) });
export type EstimationBody = Static<typeof EstimationBody>;

export const Estimation = Type.Object(
  {
    campaign: Type.Object({ id: Type.String(), name: Type.String(), object: Type.Literal("campaign") }),
    points_estimation: Type.Integer({ description: "What the customer would earn by paying the order." }),
  },
  { title: "PointsEstimation" },
);
export type Estimation = Static<typeof Estimation>;
