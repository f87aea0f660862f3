import { ActionIcon, Popover, Text } from "@mantine/core";
import { IconHelp } from "@tabler/icons-react";
import type { Receipt, Redemption } from "../../api/operations.gen.ts";
import { useProject } from "../../api/session.ts";
import { formatMoment } from "../../kit/date/date.ts";
import { valueAt } from "../../kit/list/columns.tsx";
import { formatDiscount, formatMoney } from "../../kit/money/money.ts";
import { localeOf, useText } from "../../text/text.ts";
import classes from "./receipt.module.css";

type Step = { says?: string; taken?: number };
type Check = { check: string; passed: boolean | null; seen?: unknown };
type Traced = { id: string; status: string; checks?: Check[]; calculation?: { steps?: Step[] } | null };
type Item = {
  id?: string;
  product?: { name?: string; source_id?: string };
  sku?: { sku?: string };
  quantity?: number;
  price?: number;
  amount?: number;
};

const nameOf = ({ product, sku }: Item) => sku?.sku ?? product?.name ?? product?.source_id ?? "–";
const amountAt = (value: unknown, path: string) => valueAt(value, path) as number | null | undefined;

/** `?`: the checks of a redeemable, each with the value that was seen. */
function Explain({ traced }: { traced: Traced }) {
  const t = useText();
  const title = t("redemptions.explain", { code: traced.id });
  return (
    <Popover width={300} withArrow shadow="md">
      <Popover.Target>
        <ActionIcon size="sm" aria-label={title}>
          <IconHelp size={16} stroke={1.75} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown>
        <Text fw={600} size="sm">
          {title}
        </Text>
        {(traced.checks ?? []).map(({ check, passed, seen }) => (
          <Text size="sm" key={check}>
            {passed ? "✓" : passed === false ? "✗" : "–"} {check}{" "}
            {t("redemptions.check.seen", { seen: JSON.stringify(seen) })}
          </Text>
        ))}
        {(traced.calculation?.steps ?? []).map(({ says }) => (
          <Text size="sm" key={says}>
            {says}
          </Text>
        ))}
      </Popover.Dropdown>
    </Popover>
  );
}

function Discounts({ traced }: { traced: Traced }) {
  const { currency } = useProject();
  const steps = traced.calculation?.steps ?? [];
  if (steps.length === 0)
    return (
      <div className={classes.line}>
        <span>{traced.id}</span>
        <span>{traced.status}</span>
        <Explain traced={traced} />
      </div>
    );
  return steps.map(({ says, taken }, place) => (
    <div className={classes.line} key={says}>
      <span>
        {place === 0 && <b>{traced.id} </b>}
        <span className={classes.says}>{says}</span>
      </span>
      <span>{taken === undefined ? "" : formatDiscount(taken, currency, { locale: localeOf(), sign: false })}</span>
      {place === 0 ? <Explain traced={traced} /> : <span />}
    </div>
  ));
}

/** The order as a till prints it. Every amount is one that the server worked out. */
export function Slip({ receipt, redemption }: { receipt: Receipt; redemption: Redemption }) {
  const t = useText();
  const { name, currency, timezone } = useProject();
  const amount = (minor: number | null | undefined) =>
    minor === null || minor === undefined ? "–" : formatMoney(minor, currency, { locale: localeOf(), sign: false });
  const items = (valueAt(receipt, "request.order.items") ?? []) as Item[];
  const trace = (receipt.trace ?? []) as Traced[];
  const whole = amountAt(receipt, "result.order.amount") ?? amountAt(redemption, "order.amount");
  return (
    <section className={classes.slip} aria-label={t("redemptions.slip")}>
      <div className={classes.shop}>{name}</div>
      <div className={classes.when}>{formatMoment(receipt.created_at, timezone)}</div>
      {items.map((item, place) => (
        <div className={classes.line} key={item.id ?? place}>
          <span>
            {nameOf(item)}{" "}
            <span className={classes.says}>
              {item.quantity} × {amount(item.price)}
            </span>
          </span>
          <span>{amount(item.amount)}</span>
          <span />
        </div>
      ))}
      {items.length === 0 && (
        <div className={classes.line}>
          <span>{t("redemptions.goods")}</span>
          <span>{amount(whole)}</span>
          <span />
        </div>
      )}
      {trace.map((traced) => (
        <Discounts key={traced.id} traced={traced} />
      ))}
      <div className={`${classes.line} ${classes.total}`}>
        <span>{t("redemptions.toPay")}</span>
        <span>{amount(amountAt(receipt, "result.order.total_amount") ?? whole)}</span>
        <span />
      </div>
    </section>
  );
}
