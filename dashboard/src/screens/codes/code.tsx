import { Anchor, Group, Title } from "@mantine/core";
import { Link, useParams } from "react-router";
import { getCustomer, getVoucher, type VoucherWithRules } from "../../api/operations.gen.ts";
import { useCan, useProject } from "../../api/session.ts";
import { useOp } from "../../api/use-op.ts";
import { formatDay, formatMoment, formatPeriod } from "../../kit/date/date.ts";
import { Facts, type Figure, Figures } from "../../kit/facts/facts.tsx";
import { formatCount } from "../../kit/money/count.ts";
import { formatMoney } from "../../kit/money/money.ts";
import { Page } from "../../kit/page/page.tsx";
import { Panel } from "../../kit/page/panel.tsx";
import { categoryOf } from "../../registry/category-of.ts";
import { AssignedRules } from "../../registry/conditions/assigned-rules.tsx";
import { worthOf } from "../../registry/worth.ts";
import { localeOf, useText } from "../../text/text.ts";
import { Actions } from "./actions.tsx";
import { useCodeStatus } from "./code-status.ts";
import classes from "./codes.module.css";
import { Movements, Redemptions } from "./history.tsx";
import { TYPES } from "./types.ts";

function useFigures({ redemption, gift, loyalty_card, publish }: VoucherWithRules): Figure[] {
  const t = useText();
  const { currency, timezone } = useProject();
  const money = (minor: number) => formatMoney(minor, currency, { locale: localeOf() });
  const uses = {
    label: t("codes.used"),
    value: formatCount(redemption.redeemed_quantity),
    below: redemption.quantity === null ? t("codes.unlimited") : t("codes.ofUses", { count: redemption.quantity }),
  };
  const published = { label: t("codes.published"), value: formatCount(publish.count), below: t("codes.publishedHelp") };
  if (gift) {
    const below = t("codes.ofCredit", { amount: money(gift.amount) });
    return [{ label: t("codes.credit"), value: money(gift.balance), below }, uses, published];
  }
  if (loyalty_card) {
    const { next_expiration_points: points, next_expiration_date: day } = loyalty_card;
    const below =
      points && day ? t("codes.expire", { points: formatCount(points), day: formatDay(day, timezone) }) : null;
    return [
      { label: t("codes.points"), value: formatCount(loyalty_card.balance), below },
      { label: t("codes.pending"), value: formatCount(loyalty_card.pending_points) },
      uses,
    ];
  }
  return [uses, published];
}

function Holder({ id }: { id: string }) {
  const { data } = useOp(getCustomer, { customerId: id });
  return (
    <Anchor component={Link} to={`/customers/${id}`} inherit>
      {data?.name ?? data?.email ?? data?.source_id ?? id}
    </Anchor>
  );
}

function About({ voucher }: { voucher: VoucherWithRules }) {
  const t = useText();
  const can = useCan();
  const { currency, timezone } = useProject();
  const words = {
    from: (day: string) => t("kit.date.from", { day }),
    until: (day: string) => t("kit.date.until", { day }),
  };
  const { campaign, campaign_id, holder_id } = voucher;
  return (
    <Panel>
      <Title order={2} mb="sm">
        {t("codes.about")}
      </Title>
      <Facts
        facts={[
          [t("codes.worth"), worthOf(voucher, { t, currency })],
          [t("codes.type"), t(TYPES[voucher.type]!)],
          [
            t("codes.campaign"),
            campaign_id && (
              <Anchor component={Link} to={`/campaigns/${campaign_id}`} inherit>
                {campaign}
              </Anchor>
            ),
          ],
          [
            t("codes.period"),
            formatPeriod(voucher.start_date, voucher.expiration_date, timezone, words) ?? t("kit.date.always"),
          ],
          [t("codes.holder"), holder_id && can("getCustomer") ? <Holder key={holder_id} id={holder_id} /> : holder_id],
          [t("conditions.category"), categoryOf(voucher.category_id, voucher.categories)?.label ?? voucher.category],
          [t("codes.info"), voucher.additional_info],
          [t("codes.created"), formatMoment(voucher.created_at, timezone)],
          ...Object.entries(voucher.metadata).map(([name, value]) => [name, String(value)] as const),
        ]}
      />
    </Panel>
  );
}

function Picture({ voucher: { code, assets } }: { voucher: VoucherWithRules }) {
  const t = useText();
  const address = (kind: "qr" | "barcode", format: string) => `${assets[kind].url}?format=${format}&size=10`;
  return (
    <Panel>
      <Title order={2} mb="sm">
        {t("codes.picture")}
      </Title>
      <img
        className={classes.picture}
        src={address("qr", "svg")}
        alt={t("codes.qrOf", { code })}
        width={180}
        height={180}
      />
      <Group gap="lg">
        {(["svg", "png"] as const).map((format) => (
          <Anchor key={format} href={address("qr", format)} download={`${code}.${format}`} size="sm">
            {t("codes.download", { format: format.toUpperCase() })}
          </Anchor>
        ))}
        <Anchor component={Link} to={`/codes/print?code=${encodeURIComponent(code)}`} size="sm">
          {t("codes.print")}
        </Anchor>
      </Group>
    </Panel>
  );
}

function Shown({ voucher }: { voucher: VoucherWithRules }) {
  const t = useText();
  const can = useCan();
  const figures = useFigures(voucher);
  const isMoved = voucher.gift !== null || voucher.loyalty_card !== null;
  return (
    <>
      <Figures figures={figures} />
      <div className={classes.columns}>
        <div className={classes.side}>
          {can("getVoucherRedemptions") && <Redemptions code={voucher.code} />}
          {isMoved && can("listVoucherTransactions") && (
            <Movements code={voucher.code} isGift={voucher.gift !== null} />
          )}
        </div>
        <div className={classes.side}>
          <About voucher={voucher} />
          {can("getValidationRule") && (
            <Panel>
              <Title order={2} mb="sm">
                {t("conditions.title")}
              </Title>
              <AssignedRules
                of={{ type: "voucher", id: voucher.id }}
                assigned={voucher.validation_rules_assignments.data}
                none={voucher.campaign_id ? "conditions.noneOfItsOwn" : "conditions.none"}
              />
            </Panel>
          )}
          <Picture voucher={voucher} />
        </div>
      </div>
    </>
  );
}

export default function CodePage() {
  const t = useText();
  const { currency } = useProject();
  const { code = "" } = useParams();
  const voucher = useOp(getVoucher, { code });
  const status = useCodeStatus(voucher.data);
  return (
    <Page
      of={voucher}
      title={(one) => one.code}
      status={() => status}
      below={(one) => [worthOf(one, { t, currency }), one.campaign].filter(Boolean).join(" · ")}
      actions={(one) => <Actions voucher={one} />}
      call={[getVoucher, { code }]}
    >
      {(one) => <Shown voucher={one} />}
    </Page>
  );
}
