import { Anchor, SegmentedControl } from "@mantine/core";
import { lazy, Suspense } from "react";
import { Link, useParams, useSearchParams } from "react-router";
import {
  getCardDefinition,
  getCustomer,
  getProgramMember,
  type LoyaltyMemberWithCards,
} from "../../api/operations.gen.ts";
import { useCan, useProject } from "../../api/session.ts";
import { useOp } from "../../api/use-op.ts";
import { formatMoment } from "../../kit/date/date.ts";
import { formatCount } from "../../kit/money/count.ts";
import { Page } from "../../kit/page/page.tsx";
import { Panel } from "../../kit/page/panel.tsx";
import { Empty, LoadingRows } from "../../kit/states/states.tsx";
import { useText } from "../../text/text.ts";
import { ExpiringLots, PendingLots } from "./lots.tsx";
import classes from "./loyalty.module.css";

// The list comes after what is read first.
const Ledger = lazy(() => import("./ledger.tsx"));
const AdjustPoints = lazy(() => import("./adjust-points.tsx"));

type Card = NonNullable<LoyaltyMemberWithCards["cards"][number]["card"]>;

function CardName({ card }: { card: Card }) {
  const wallet = useOp(getCardDefinition, { cardDefinitionId: card.card_definition_id });
  return <>{wallet.data?.name ?? card.code}</>;
}

function Balance({ card }: { card: Card }) {
  const t = useText();
  const { points } = card.lifetime_bucket;
  const figures = [
    [t("loyalty.balance"), card.balance.points],
    [t("loyalty.pending"), card.balance.pending_points],
    // What was bought as well: earned, spent and expired make up the balance.
    [t("loyalty.lifetimeEarned"), points.earned + points.purchased],
    [t("loyalty.lifetimeSpent"), points.spent],
    [t("loyalty.lifetimeExpired"), points.expired],
  ] as const;
  return (
    <div className={classes.figures}>
      {figures.map(([name, value]) => (
        <Panel key={name}>
          <div className={classes.says}>{name}</div>
          <div className={classes.figure}>{formatCount(value)}</div>
        </Panel>
      ))}
    </div>
  );
}

function Cards({ member }: { member: LoyaltyMemberWithCards }) {
  const t = useText();
  const [query, setQuery] = useSearchParams();
  const cards = member.cards.flatMap(({ card }) => card ?? []);
  const card = cards.find(({ id }) => id === query.get("view")) ?? cards[0];
  if (!card) return <Empty title="loyalty.noCards" />;
  const params = { programId: member.program_id, memberId: member.id, cardId: card.id };
  return (
    <>
      {cards.length > 1 && (
        <SegmentedControl
          mb="lg"
          aria-label={t("loyalty.wallets")}
          data={cards.map((one) => ({ value: one.id, label: <CardName card={one} /> }))}
          value={card.id}
          onChange={(view) => setQuery({ view }, { replace: true })}
        />
      )}
      <Balance card={card} />
      <div className={classes.stack} key={card.id}>
        <div className={classes.columns}>
          <ExpiringLots params={params} />
          <PendingLots params={params} />
        </div>
        <Suspense fallback={<LoadingRows />}>
          <Ledger params={params} />
        </Suspense>
      </div>
    </>
  );
}

/** A member: the balance of each wallet, every lot of points, and everything that moved them. */
export default function MemberPage() {
  const t = useText();
  const can = useCan();
  const { timezone } = useProject();
  const { programId = "", memberId = "" } = useParams();
  const [query] = useSearchParams();
  const member = useOp(getProgramMember, { programId, memberId });
  const customerId = member.data?.customer_id ?? "";
  const customer = useOp(getCustomer, { customerId }, { enabled: customerId !== "" && can("getCustomer") });
  return (
    <Page
      of={member}
      title={() => customer.data?.name ?? t("loyalty.memberTitle")}
      status={(one) => one.status}
      below={(one) => (
        <>
          <Anchor component={Link} to={`/customers/${one.customer_id}`} inherit underline="always">
            {t("loyalty.toCustomer")}
          </Anchor>{" "}
          · {t("loyalty.joinedOn", { time: formatMoment(one.created_at, timezone) })}
        </>
      )}
      actions={(one) => (
        <Suspense>
          <AdjustPoints member={one} cardId={query.get("view")} />
        </Suspense>
      )}
      call={[getProgramMember, { programId, memberId }]}
    >
      {(one) => <Cards member={one} />}
    </Page>
  );
}
