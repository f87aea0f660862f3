import { Anchor, Text, Title } from "@mantine/core";
import { Link } from "react-router";
import { type HeldRedeemable, listCustomerRedeemables, listLoyaltyMemberTiers } from "../../api/operations.gen.ts";
import { useCan, useProject } from "../../api/session.ts";
import { useOp } from "../../api/use-op.ts";
import { formatDay } from "../../kit/date/date.ts";
import { formatCount } from "../../kit/money/count.ts";
import { Panel } from "../../kit/page/panel.tsx";
import { Failure, LoadingRows } from "../../kit/states/states.tsx";
import { StatusBadge } from "../../kit/status/status-badge.tsx";
import { worthOf } from "../../registry/worth.ts";
import { useText } from "../../text/text.ts";
import classes from "./customer.module.css";
import { memberPath, type ProgramCard } from "./programs.ts";

const MANY = 50;
/** The words of the wallet in the words of all other statuses. */
const STATUSES: Record<string, string> = { USED: "USED_UP", NO_BALANCE: "USED_UP", NOT_ACTIVE_YET: "SCHEDULED" };

export function useWallet(customerId: string) {
  const enabled = useCan()("listCustomerRedeemables");
  return useOp(listCustomerRedeemables, { customerId, limit: MANY, order: "-id" }, { enabled });
}

/** The tier that a loyalty card has brought somebody to. */
function Tier({ code }: { code: string }) {
  const t = useText();
  const { data } = useOp(listLoyaltyMemberTiers, { memberId: code });
  const names = data?.data.map(({ name }) => name) ?? [];
  return names.length === 0 ? null : <small>{t("customers.tier", { name: names.join(", ") })}</small>;
}

function Held({ held: { redeemable } }: { held: HeldRedeemable }) {
  const t = useText();
  const can = useCan();
  const { currency, timezone } = useProject();
  const { voucher, status } = redeemable;
  const until = voucher.expiration_date && t("customers.until", { day: formatDay(voucher.expiration_date, timezone) });
  return (
    <li className={classes.held}>
      <Anchor component={Link} to={`/codes/${encodeURIComponent(voucher.code)}`} inherit className="mono">
        {voucher.code}
      </Anchor>
      <StatusBadge status={STATUSES[status] ?? status} />
      <small>{[worthOf(voucher, { t, currency }), voucher.campaign, until].filter(Boolean).join(" · ")}</small>
      {voucher.loyalty_card && can("listLoyaltyMemberTiers") && <Tier code={voucher.code} />}
    </li>
  );
}

/** The codes, gift cards and loyalty cards that somebody holds. Their status is the server's. */
export function Wallet({ customerId }: { customerId: string }) {
  const t = useText();
  const { data, error, refetch } = useWallet(customerId);
  return (
    <Panel>
      <Title order={2} mb="sm">
        {t("customers.wallet")}
      </Title>
      {data === undefined &&
        (error ? <Failure error={error} retry={() => void refetch()} /> : <LoadingRows rows={3} />)}
      {data?.total === 0 && <Text c="dimmed">{t("customers.emptyWallet")}</Text>}
      <ul className={classes.wallet}>
        {data?.data.map((one) => (
          <Held key={one.id} held={one} />
        ))}
      </ul>
      {data && data.total > data.data.length && (
        <Anchor component={Link} to={`/codes?customer=${customerId}`} size="sm">
          {t("customers.allCodes", { count: data.total })}
        </Anchor>
      )}
    </Panel>
  );
}

function ProgramCardLine({ of: { card, wallet, tier } }: { of: ProgramCard }) {
  const t = useText();
  const { timezone } = useProject();
  const { balance, next_expiration } = card;
  const said = [
    t("worth.points", { count: balance.points, points: formatCount(balance.points) }),
    balance.pending_points > 0 && t("customers.pending", { points: formatCount(balance.pending_points) }),
    tier && t("customers.tier", { name: tier }),
    next_expiration &&
      t("customers.expire", {
        points: formatCount(next_expiration.points),
        day: formatDay(next_expiration.date, timezone),
      }),
  ];
  return (
    <small>
      {wallet && `${wallet}: `}
      {said.filter(Boolean).join(" · ")}
    </small>
  );
}

/** The programs that somebody is a member of, with what is on each card. */
export function Memberships({ cards }: { cards: readonly ProgramCard[] }) {
  const t = useText();
  const can = useCan();
  if (cards.length === 0) return null;
  const members = Map.groupBy(cards, ({ member }) => member.id).values();
  return (
    <Panel>
      <Title order={2} mb="sm">
        {t("customers.programs")}
      </Title>
      <ul className={classes.wallet}>
        {[...members].map(([first, ...others]) => (
          <li key={first!.member.id} className={classes.held}>
            {can("getProgram") ? (
              <Anchor component={Link} to={`/loyalty/${first!.program.id}`} inherit fw={600}>
                {first!.program.name}
              </Anchor>
            ) : (
              <strong>{first!.program.name}</strong>
            )}
            <StatusBadge status={first!.member.status} />
            {[first!, ...others].map((one) => (
              <ProgramCardLine key={one.card.id} of={one} />
            ))}
            {can("getProgramMember") && (
              <small>
                <Anchor component={Link} to={memberPath(first!)} inherit underline="always">
                  {t("customers.toMember")}
                </Anchor>
              </small>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
