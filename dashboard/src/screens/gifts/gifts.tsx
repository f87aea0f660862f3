import { Anchor, Text } from "@mantine/core";
import { Link } from "react-router";
import {
  type Campaign,
  getGiftCardBalance,
  listPublications,
  listVouchers,
  type Voucher,
} from "../../api/operations.gen.ts";
import { useCan, useProject } from "../../api/session.ts";
import { useOp } from "../../api/use-op.ts";
import { Figures } from "../../kit/facts/facts.tsx";
import { count, link, money, period } from "../../kit/list/columns.tsx";
import { SmallTable } from "../../kit/list/small-table.tsx";
import { formatCount } from "../../kit/money/count.ts";
import { formatMoney } from "../../kit/money/money.ts";
import { Loaded } from "../../kit/states/loaded.tsx";
import { Failure, LoadingRows } from "../../kit/states/states.tsx";
import { CampaignPanels } from "../../registry/campaign-panels.tsx";
import { localeOf, useText } from "../../text/text.ts";

const FEW = 10;
const COLUMNS = [
  link<Voucher>("gifts.code", "code", ({ code }) => `/codes/${encodeURIComponent(code)}`),
  money<Voucher>("gifts.balance", "gift.balance"),
  money<Voucher>("gifts.amount", "gift.amount"),
  count<Voucher>("gifts.uses", "redemption.redeemed_quantity"),
  period<Voucher>("gifts.period", "start_date", "expiration_date"),
];

/** What was put on cards, and what is left of it: of a campaign, or of the whole project. */
function Sums({ campaign }: { campaign?: Campaign }) {
  const t = useText();
  const can = useCan();
  const { currency } = useProject();
  const balance = useOp(getGiftCardBalance, campaign ? { campaign: campaign.id } : {});
  const published = { campaign: campaign?.name ?? "", result: "SUCCESS" as const, limit: 1 };
  const { data: given } = useOp(listPublications, published, {
    enabled: campaign !== undefined && can("listPublications"),
  });
  const shown = (minor: number) => formatMoney(minor, currency, { locale: localeOf() });
  return (
    <Loaded of={balance} rows={2}>
      {({ cards, issued, removed, spent, balance: left }) => (
        <Figures
          figures={[
            { label: t("gifts.outstanding"), value: shown(left) },
            { label: t("gifts.issued"), value: shown(issued - removed) },
            { label: t("gifts.spent"), value: shown(spent) },
            { label: t("gifts.cards"), value: formatCount(cards) },
            ...(campaign ? [{ label: t("gifts.givenOut"), value: given ? formatCount(given.total) : null }] : []),
          ]}
        />
      )}
    </Loaded>
  );
}

function Cards({ campaign }: { campaign: Campaign }) {
  const t = useText();
  const { data, error, refetch } = useOp(listVouchers, { campaign_id: campaign.id, limit: FEW, order: "-updated_at" });
  if (!data) return error ? <Failure error={error} retry={() => void refetch()} /> : <LoadingRows rows={3} />;
  if (data.total === 0) return <Text c="dimmed">{t("gifts.noCards")}</Text>;
  return (
    <>
      <SmallTable
        label={t("gifts.cardsOf", { name: campaign.name })}
        rows={data.vouchers}
        columns={COLUMNS}
        idOf={({ id }) => id}
      />
      {data.total > FEW && (
        <Anchor component={Link} to={`/codes?campaign_id=${campaign.id}`} size="sm">
          {t("gifts.all", { count: data.total, shown: formatCount(data.total) })}
        </Anchor>
      )}
    </>
  );
}

const TEXTS = { title: "gifts.title", help: "gifts.help", empty: "gifts.empty", emptyHelp: "gifts.emptyHelp" } as const;

export default function Gifts() {
  const can = useCan();
  return (
    <CampaignPanels type="GIFT_VOUCHERS" texts={TEXTS} above={can("getGiftCardBalance") && <Sums />}>
      {(campaign) => (
        <>
          {can("getGiftCardBalance") && <Sums campaign={campaign} />}
          {can("listVouchers") && <Cards campaign={campaign} />}
        </>
      )}
    </CampaignPanels>
  );
}
