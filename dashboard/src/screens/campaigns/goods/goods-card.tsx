import { Anchor, Text } from "@mantine/core";
import { Link } from "react-router";
import type { Campaign } from "../../../api/operations.gen.ts";
import { Can } from "../../../kit/page/can.tsx";
import { Section } from "../../../kit/page/section.tsx";
import { useText } from "../../../text/text.ts";
import { ownersIn, useGoods } from "./use-goods.ts";
import { isOnOrder, takesGoods } from "./values.ts";

/** Which products the discount of a campaign takes, and the way to change them. */
export default function GoodsCard({ campaign }: { campaign: Campaign }) {
  const t = useText();
  const { data } = useGoods(ownersIn(campaign));
  const found = data?.get(campaign.id);
  const discount = campaign.voucher?.discount ?? null;
  if (!found || found.place.kind === "unread" || !takesGoods(discount)) return null;
  const { goods, place } = found;
  return (
    <Section title={t("goods.title")}>
      <Text size="sm">{t(place.kind === "closed" ? "goods.closed" : `goods.which.${goods.which}`)}</Text>
      {goods.which !== "all" && (
        <ul>
          {goods.picked.map(({ entry, name }) => (
            <li key={`${entry.object} ${entry.id}`}>{name}</li>
          ))}
        </ul>
      )}
      {goods.which !== "all" && isOnOrder(discount) && <Text size="sm">{t("goods.wholeOrder")}</Text>}
      {place.kind !== "closed" && (
        <Can do="updateCampaign">
          <Text size="sm" mt="md">
            <Anchor component={Link} to={`/campaigns/${campaign.id}/edit?step=offer`} inherit underline="always">
              {t("goods.change")}
            </Anchor>
          </Text>
        </Can>
      )}
    </Section>
  );
}
