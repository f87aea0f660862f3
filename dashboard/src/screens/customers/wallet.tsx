import { Anchor, Text, Title } from "@mantine/core";
import { Link } from "react-router";
import {
  type HeldRedeemable,
  type LoyaltyMemberships,
  listCustomerRedeemables,
  listLoyaltyMemberTiers,
} from "../../api/operations.gen.ts";
import { useCan, useProject } from "../../api/session.ts";
import { useOp } from "../../api/use-op.ts";
import { formatDay } from "../../kit/date/date.ts";
import { formatCount } from "../../kit/list/columns.tsx";
import { Panel } from "../../kit/page/panel.tsx";
import { Failure, LoadingRows } from "../../kit/states/states.tsx";
import { StatusBadge } from "../../kit/status/status-badge.tsx";
import { worthOf } from "../../registry/worth.ts";
import { useText } from "../../text/text.ts";
import classes from "./customer.module.css";

const MANY = 50;
/** The words of the wallet in the words of all other statuses. */
const STATUSES: Record<string, string> = { USED: "USED_UP", NO_BALANCE: "USED_UP", NOT_ACTIVE_YET: "SCHEDULED" };

export const useWallet = (customerId: string) =>
  useOp(listCustomerRedeemables, { customerId, limit: MANY, order: "-id" });

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

/** The programs that somebody is a member of, with what is on each card. */
export function Memberships({ memberships }: Pick<LoyaltyMemberships, "memberships">) {
  const t = useText();
  const { timezone } = useProject();
  if (memberships.length === 0) return null;
  return (
    <Panel>
      <Title order={2} mb="sm">
        {t("customers.programs")}
      </Title>
      <ul className={classes.wallet}>
        {memberships.map(({ member, program, cards }) => (
          <li key={member.id} className={classes.held}>
            <strong>{program.name}</strong>
            <StatusBadge status={member.status} />
            {cards.map(({ card }) =>
              card === null ? null : (
                <small key={card.id}>
                  {[
                    t("worth.points", { count: card.balance.points, points: formatCount(card.balance.points) }),
                    card.balance.pending_points > 0 &&
                      t("customers.pending", { points: formatCount(card.balance.pending_points) }),
                    card.next_expiration &&
                      t("customers.expire", {
                        points: formatCount(card.next_expiration.points),
                        day: formatDay(card.next_expiration.date, timezone),
                      }),
                  ]
                    .filter(Boolean)
                    .join(" · ")}
                </small>
              ),
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
