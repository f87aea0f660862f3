import { type CampaignTier, createCampaignTiers, updateCampaignTier } from "../../../api/operations.gen.ts";
import type { Answer } from "../../../api/send.ts";
import type { SendStep } from "../../../kit/form/steps.ts";
import { errorWord } from "../../../kit/states/error-word.ts";
import { textOf } from "../../../text/text.ts";
import { sentMappings } from "./mapping.ts";
import { endedBy, type TierValues } from "./tier-values.ts";

type Earns = CampaignTier["earning_rules"][string];
type Pays = CampaignTier["rewards"][string];
export type Adding = {
  campaignId: string;
  /** The highest tier as it was last read, with its version. After a refusal it is what was made of it. */
  top: { current: Answer<CampaignTier> | null };
  read: (loyaltyTierId: string) => Promise<Answer<CampaignTier>>;
};

export const earnsAndPays = ({ earns, pays }: TierValues) => ({
  earning_rules: sentMappings<Earns>(earns),
  rewards: sentMappings<Pays>(pays),
});

/** Takes back that a tier ends: without the new one, members above its end would be in no tier. */
async function openAgain(send: SendStep, { campaignId, top, read }: Adding, cut: CampaignTier, why: unknown) {
  const { from, to } = cut.points;
  const params = { campaignId, loyaltyTierId: cut.id };
  try {
    await send(updateCampaignTier, { params, body: { points: { from, to: null } } });
  } catch {
    // It has its end now: whoever tries once more only adds the new one.
    top.current = { body: cut, etag: null };
    throw new Error(textOf("cards.stillEnds", { name: cut.name, to, reason: errorWord(textOf, why) }));
  }
  const open = { ...cut, points: { from } };
  top.current = await read(cut.id).catch(() => ({ body: open, etag: null }));
}

/** Makes a tier. The one that had no end ends below it first: tiers may not overlap. */
export async function addTier(send: SendStep, adding: Adding, values: TierValues): Promise<unknown> {
  const { campaignId, top } = adding;
  const ended = endedBy(top.current ? [top.current.body] : [], values);
  const to = values.from! - 1;
  if (ended) {
    const seen = top.current?.etag ? { ifMatch: top.current.etag } : {};
    const body = { points: { from: ended.points.from, to } };
    await send(updateCampaignTier, { params: { campaignId, loyaltyTierId: ended.id }, body, ...seen });
  }
  const points = { from: values.from!, ...(values.to !== null && { to: values.to }) };
  const tier = { name: values.name.trim(), points, ...earnsAndPays(values) };
  try {
    return await send(createCampaignTiers, { params: { campaignId }, body: [tier] });
  } catch (error) {
    if (ended) await openAgain(send, adding, { ...ended, points: { from: ended.points.from, to } }, error);
    throw error;
  }
}
