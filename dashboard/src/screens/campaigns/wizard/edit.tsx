import { useRef } from "react";
import { type Campaign, getCampaign } from "../../../api/operations.gen.ts";
import { sendFor } from "../../../api/send.ts";
import { useRecord } from "../../../api/use-op.ts";
import type { Version } from "../../../kit/form/use-record-form.ts";
import { Failure, LoadingRows } from "../../../kit/states/states.tsx";
import { type May, ownersIn, readGoods, useGoods } from "../goods/use-goods.ts";
import type { Found, Place } from "../goods/values.ts";
import { readReferrerRewards, useReferrerRewards } from "../referral/use-rewards.ts";
import { CampaignFields } from "./campaign-fields.tsx";
import { type BesideIt, type Values, valuesOf } from "./values.ts";

type Read = { body: Campaign; etag: string | null };
const versionOf = ({ body, etag }: Read, beside: BesideIt): Version<Values> => ({
  values: valuesOf(body, beside),
  etag,
});

/** A campaign and what is saved beside it, after somebody else changed it. */
export async function readVersion(campaignId: string, may: May): Promise<{ version: Version<Values>; place: Place }> {
  const read = await sendFor(getCampaign, { campaignId });
  const { goods, place } = (await readGoods(ownersIn(read.body), may)).get(campaignId)!;
  return { version: versionOf(read, { rewards: await readReferrerRewards(read.body), goods }), place };
}

/** The form of a campaign that is there. */
export default function EditCampaign({ campaignId }: { campaignId: string }) {
  const { data, error, isFetching, refetch } = useRecord(getCampaign, { campaignId, expand: "counters" });
  // The form begins with what the server says now, and is not reloaded under the hands later.
  const begun = useRef<typeof data>(undefined);
  if (!isFetching) begun.current ??= data;
  const rewards = useReferrerRewards(begun.current?.body);
  const goods = useGoods(begun.current ? ownersIn(begun.current.body) : []);
  const found = useRef<Found>(undefined);
  if (!goods.isFetching) found.current ??= goods.data?.get(campaignId);
  if (begun.current && rewards && found.current) {
    const from = versionOf(begun.current, { rewards, goods: found.current.goods });
    return <CampaignFields campaign={begun.current.body} from={from} place={found.current.place} />;
  }
  return error ? <Failure error={error} retry={() => void refetch()} /> : <LoadingRows />;
}
