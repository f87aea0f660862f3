import { type TSchema, Type } from "typebox";
import { DateTime } from "../../../http/schemas.ts";
import { CampaignView } from "../../promotions/campaigns/schema.ts";
import { Voucher } from "../../promotions/vouchers/schema.ts";

const olderListOf = <S extends TSchema>(item: S, title: string) =>
  Type.Object(
    {
      id: Type.String({ description: "Of this answer. It is not stored." }),
      created_at: DateTime,
      object: Type.Literal("list"),
      data_ref: Type.Literal("data"),
      data: Type.Array(item),
      total: Type.Integer({ minimum: 0 }),
      tracking_id: Type.Optional(Type.String({ description: "The hashed source id of the customer." })),
    },
    { title },
  );
/** What the older qualifications answer: codes and campaigns as they are shown elsewhere. */
export const QualifiedVouchers = olderListOf(Voucher, "QualifiedVouchers");
export const QualifiedCampaigns = olderListOf(CampaignView, "QualifiedCampaigns");
