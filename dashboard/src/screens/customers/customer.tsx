import { Badge, Button, Group, Title } from "@mantine/core";
import { IconDots } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import { Link, useParams } from "react-router";
import { type Customer, getCustomer, listCustomerSegments } from "../../api/operations.gen.ts";
import { useCan, useProject } from "../../api/session.ts";
import { useOp } from "../../api/use-op.ts";
import { formatDay } from "../../kit/date/date.ts";
import { Facts, type Figure, Figures } from "../../kit/facts/facts.tsx";
import { MenuButton } from "../../kit/menu/menu-button.tsx";
import { formatCount } from "../../kit/money/count.ts";
import { formatMoney } from "../../kit/money/money.ts";
import { Can } from "../../kit/page/can.tsx";
import { Page } from "../../kit/page/page.tsx";
import { Panel } from "../../kit/page/panel.tsx";
import { notifyFailed } from "../../kit/undo/undo.tsx";
import { localeOf, useText } from "../../text/text.ts";
import classes from "./customer.module.css";
import { useErase } from "./erase.tsx";
import { exportCustomer } from "./export.ts";
import { nameOf } from "./names.ts";
import { type ProgramCard, useProgramCards } from "./programs.ts";
import { Timeline } from "./timeline.tsx";
import { Memberships, Wallet } from "./wallet.tsx";

const GiveCode = lazy(() => import("./give-code.tsx"));
const GivePoints = lazy(() => import("./give-points.tsx"));

function Actions({ customer, cards }: { customer: Customer; cards: readonly ProgramCard[] }) {
  const t = useText();
  const can = useCan();
  const erase = useErase();
  const [open, setOpen] = useState<"code" | "points" | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      <Can do="createPublication">
        <Button onClick={() => setOpen("code")}>{t("customers.giveCode")}</Button>
      </Can>
      <Can do="adjustLoyaltyMemberBalance">
        <Button variant="default" onClick={() => setOpen("points")}>
          {t("customers.givePoints")}
        </Button>
      </Can>
      <MenuButton
        button={
          <Button variant="default" leftSection={<IconDots size={16} />}>
            {t("customers.more")}
          </Button>
        }
        entries={[
          ...(can("updateCustomer") ? [{ text: t("customers.edit"), to: `/customers/${customer.id}/edit` }] : []),
          { text: t("customers.export"), run: () => void exportCustomer(customer, can).catch(notifyFailed) },
          ...(can("eraseCustomer")
            ? [{ text: t("customers.erase"), isDangerous: true, run: () => void erase(customer) }]
            : []),
        ]}
      />
      <Suspense>
        {open === "code" && <GiveCode customer={customer} onClose={close} />}
        {open === "points" && <GivePoints customer={customer} programs={cards} onClose={close} />}
      </Suspense>
    </>
  );
}

/** The balance of each wallet: points of one program are not those of another. */
const useBalances = (cards: readonly ProgramCard[]): Figure[] => {
  const t = useText();
  return cards.map(({ program, card: { id, balance }, wallet, tier }) => ({
    id,
    label: [program.name, wallet].filter(Boolean).join(" · "),
    value: formatCount(balance.points),
    below: [
      tier && t("customers.tier", { name: tier }),
      balance.pending_points > 0 && t("customers.pending", { points: formatCount(balance.pending_points) }),
    ]
      .filter(Boolean)
      .join(" · "),
  }));
};

type SumsProps = { customer: Customer; cards: readonly ProgramCard[] };

function Sums({ customer: { summary, loyalty }, cards }: SumsProps) {
  const t = useText();
  const balances = useBalances(cards);
  const { currency, timezone } = useProject();
  const money = (minor: number) => formatMoney(minor, currency, { locale: localeOf() });
  const { orders, redemptions } = summary;
  const tiers = Object.values(loyalty.campaigns).flatMap(({ loyalty_tier }) => loyalty_tier ?? []);
  return (
    <Figures
      figures={[
        {
          label: t("customers.spent"),
          value: money(orders.total_amount),
          below: t("customers.inOrders", { count: orders.total_count }),
        },
        {
          label: t("customers.lastOrder"),
          value: orders.last_order_date ? money(orders.last_order_amount) : null,
          below:
            orders.last_order_date &&
            t("customers.lastOrderBelow", { day: formatDay(orders.last_order_date, timezone) }),
        },
        {
          label: t("customers.redemptions"),
          value: formatCount(redemptions.total_succeeded),
          below: t("customers.failedAndBack", {
            failed: redemptions.total_failed,
            back: redemptions.total_rolled_back,
          }),
        },
        // Those of loyalty campaigns; who is in programs only has none.
        ...(loyalty.points > 0 || tiers.length > 0 || cards.length === 0
          ? [{ label: t("customers.points"), value: formatCount(loyalty.points), below: tiers.join(", ") }]
          : []),
        ...balances,
        {
          label: t("customers.credit"),
          value: money(redemptions.gift.amount_to_go),
          below: t("customers.creditSpent", { amount: money(redemptions.gift.redeemed_amount) }),
        },
      ]}
    />
  );
}

function Profile({ customer }: { customer: Customer }) {
  const t = useText();
  const { timezone } = useProject();
  const { address } = customer;
  const lines = [
    address?.line_1,
    address?.line_2,
    address?.postal_code,
    address?.city,
    address?.state,
    address?.country,
  ];
  return (
    <Panel>
      <Title order={2} mb="sm">
        {t("customers.profile")}
      </Title>
      <Facts
        facts={[
          [t("customers.email"), customer.email],
          [t("customers.phone"), customer.phone],
          [t("customers.sourceId"), customer.source_id && <span className="mono">{customer.source_id}</span>],
          [t("customers.address"), lines.filter(Boolean).join(", ")],
          [t("customers.birthdate"), customer.birthdate ?? customer.birthday],
          [t("customers.since"), formatDay(customer.created_at, timezone)],
          [t("customers.note"), customer.description],
          ...Object.entries(customer.metadata).map(([name, value]) => [name, String(value)] as const),
          [
            t("customers.id"),
            <span key="id" className="mono">
              {customer.id}
            </span>,
          ],
        ]}
      />
    </Panel>
  );
}

function Segments({ customerId }: { customerId: string }) {
  const { data } = useOp(listCustomerSegments, { customerId });
  return data?.data.map(({ id, name }) => (
    <Badge key={id} variant="light" color="gray" component={Link} to={`/segments/${id}`} tt="none">
      {name}
    </Badge>
  ));
}

export default function CustomerPage() {
  const { customerId = "" } = useParams();
  const customer = useOp(getCustomer, { customerId });
  const cards = useProgramCards(customer.data?.id);
  return (
    <Page
      of={customer}
      title={nameOf}
      below={(one) => (
        <Group gap="sm">
          {[one.email, one.source_id].filter(Boolean).join(" · ")}
          <Can do="listCustomerSegments">
            <Segments customerId={one.id} />
          </Can>
        </Group>
      )}
      actions={(one) => <Actions customer={one} cards={cards} />}
      call={[getCustomer, { customerId }]}
    >
      {(one) => (
        <>
          <Sums customer={one} cards={cards} />
          <div className={classes.columns}>
            <Can do="listCustomerActivity">
              <Timeline customerId={one.id} cards={cards} />
            </Can>
            <div className={classes.side}>
              <Can do="listCustomerRedeemables">
                <Wallet customerId={one.id} />
              </Can>
              <Memberships cards={cards} />
              <Profile customer={one} />
            </div>
          </div>
        </>
      )}
    </Page>
  );
}
