import { Anchor, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "react-router";
import type { Customer, LoggedRequestRead, Order, Redemption, VoucherWithRules } from "../../api/operations.gen.ts";
import { useProject } from "../../api/session.ts";
import { formatPeriod, formatShort } from "../../kit/date/date.ts";
import { JsonBlock } from "../../kit/json/json-block.tsx";
import { formatCount } from "../../kit/money/count.ts";
import { formatMoney } from "../../kit/money/money.ts";
import { Can } from "../../kit/page/can.tsx";
import { Panel } from "../../kit/page/panel.tsx";
import { HttpStatus } from "../../kit/status/http-status.tsx";
import { StatusBadge } from "../../kit/status/status-badge.tsx";
import { Verdict } from "../../registry/trace/verdict.tsx";
import { orderStatusWord, reasonWord } from "../../registry/words.ts";
import { localeOf, type Text, useText } from "../../text/text.ts";
import type { Case } from "./case.ts";
import classes from "./why.module.css";

const Line = ({ title, children }: { title: ReactNode; children: ReactNode }) => (
  <Panel>
    <div className={classes.about}>
      <Title order={2}>{title}</Title>
      {children}
    </div>
  </Panel>
);

function usesOf({ quantity, redeemed_quantity }: VoucherWithRules["redemption"], t: Text): string {
  if (quantity === null) return t("why.code.usesOpen", { count: redeemed_quantity });
  return t("why.code.usesLeft", { left: Math.max(0, quantity - redeemed_quantity), all: quantity });
}

/** The code itself, as it is now. Whether it may be used is decided by the server, when it is asked. */
function AboutCode({ voucher }: { voucher: VoucherWithRules }) {
  const t = useText();
  const { currency, timezone } = useProject();
  const { active, campaign, gift, loyalty_card } = voucher;
  const period = formatPeriod(voucher.start_date, voucher.expiration_date, timezone, {
    from: (day) => t("kit.date.from", { day }),
    until: (day) => t("kit.date.until", { day }),
  });
  return (
    <Line title={<span className="mono">{voucher.code}</span>}>
      <span className={classes.fact}>
        <Verdict passed={active} /> {t(active ? "why.code.on" : "why.code.off")}
      </span>
      <span>{period ?? t("why.code.always")}</span>
      <span>{usesOf(voucher.redemption, t)}</span>
      {gift && (
        <span>{t("why.code.balance", { amount: formatMoney(gift.balance, currency, { locale: localeOf() }) })}</span>
      )}
      {loyalty_card && <span>{t("why.code.points", { points: formatCount(loyalty_card.balance) })}</span>}
      {campaign && <span className={classes.dimmed}>{t("why.code.campaign", { name: campaign })}</span>}
    </Line>
  );
}

const nameOf = ({ name, email, source_id, id }: Customer) => name ?? email ?? source_id ?? id;

function AboutCustomer({ customer }: { customer: Customer }) {
  const t = useText();
  return (
    <Line title={nameOf(customer)}>
      <span className={classes.dimmed}>
        {t("why.customer")} · {customer.email ?? customer.source_id}
      </span>
      <Anchor component={Link} to={`/customers/${customer.id}`} underline="always">
        {customer.source_id ?? customer.id}
      </Anchor>
    </Line>
  );
}

function AboutOrder({ order }: { order: Order }) {
  const t = useText();
  const { currency } = useProject();
  const amount = order.total_amount ?? order.amount;
  return (
    <Line title={<span className="mono">{order.source_id ?? order.id}</span>}>
      <span className={classes.dimmed}>{t("why.order")}</span>
      {order.status && <span>{orderStatusWord(t, order.status)}</span>}
      {amount !== undefined && <span>{formatMoney(amount, currency, { locale: localeOf() })}</span>}
    </Line>
  );
}

/** What a redemption came to; its receipt says how each cent of it was decided. */
function AboutRedemption({ redemption }: { redemption: Redemption }) {
  const t = useText();
  const { timezone } = useProject();
  const { id, status, date, failure_code, failure_message } = redemption;
  return (
    <Line title={<span className="mono">{redemption.voucher?.code ?? id}</span>}>
      <span className={classes.dimmed}>
        {t("why.redemption")} · {formatShort(date, timezone)}
      </span>
      <StatusBadge status={status} />
      {failure_code && <span>{reasonWord(t, failure_code) ?? failure_message ?? failure_code}</span>}
      <Anchor component={Link} to={`/redemptions/${id}`} underline="always">
        {t("why.receipt")}
      </Anchor>
    </Line>
  );
}

/** A request that was logged: what was asked and answered, refused or not. */
function AboutRequest({ request }: { request: LoggedRequestRead }) {
  const t = useText();
  const { timezone } = useProject();
  return (
    <Panel>
      <div className={classes.about}>
        <Title order={2}>{`${request.method} ${request.route}`}</Title>
        <HttpStatus status={request.status} />
        <span className={classes.dimmed}>{formatShort(request.created_at, timezone)}</span>
        <Can do="getLoggedRequest">
          <Anchor component={Link} to={`/requests/${request.id}`} underline="always">
            {t("why.request")}
          </Anchor>
        </Can>
      </div>
      <div className={classes.columns}>
        <div>
          <div className={classes.dimmed}>{t("why.sent")}</div>
          <JsonBlock value={request.request_body ?? ""} label={t("why.sent")} />
        </div>
        <div>
          <div className={classes.dimmed}>{t("why.answered")}</div>
          <JsonBlock value={request.response_body ?? ""} label={t("why.answered")} />
        </div>
      </div>
    </Panel>
  );
}

/** What carries the name that somebody looked for. */
export function About({ of: { voucher, customer, order, redemption, request } }: { of: Case }) {
  return (
    <>
      {voucher && <AboutCode voucher={voucher} />}
      {customer && <AboutCustomer customer={customer} />}
      {order && <AboutOrder order={order} />}
      {redemption && <AboutRedemption redemption={redemption} />}
      {request && <AboutRequest request={request} />}
    </>
  );
}
