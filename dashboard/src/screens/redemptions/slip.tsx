import { ActionIcon, Popover, Text } from "@mantine/core";
import { IconHelp } from "@tabler/icons-react";
import type { Receipt, RedeemableTrace, Redemption, TracedStep } from "../../api/operations.gen.ts";
import { useProject } from "../../api/session.ts";
import { formatMoment } from "../../kit/date/date.ts";
import { valueAt } from "../../kit/list/columns.tsx";
import { formatDiscount, formatMoney } from "../../kit/money/money.ts";
import { stepWord } from "../../registry/trace/step-word.ts";
import { RedeemableReasons } from "../../registry/trace/trace-tree.tsx";
import { localeOf, type TextKey, useText } from "../../text/text.ts";
import classes from "./receipt.module.css";

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

/** `?`: each step of a redeemable, and its rules and checks with the values that were seen. */
function Explain({ traced, steps }: { traced: RedeemableTrace; steps: readonly TracedStep[] }) {
  const t = useText();
  const { currency } = useProject();
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
        {steps.map((step) => (
          <Text size="sm" key={step.says}>
            {stepWord(step, { t, currency })}
          </Text>
        ))}
        <RedeemableReasons trace={traced} />
      </Popover.Dropdown>
    </Popover>
  );
}

const STATUSES: Record<RedeemableTrace["status"], TextKey> = {
  APPLICABLE: "kit.status.applies",
  INAPPLICABLE: "kit.status.doesNotApply",
  SKIPPED: "kit.status.skipped",
};

/** What a redeemable took off. Where the redemption failed it took nothing, whatever was worked out on the way. */
function Discounts({ traced, hasFailed }: { traced: RedeemableTrace; hasFailed: boolean }) {
  const t = useText();
  const { currency } = useProject();
  const steps = hasFailed ? [] : (traced.calculation?.steps ?? []);
  if (steps.length === 0)
    return (
      <div className={classes.line}>
        <b>{traced.id}</b>
        <span>{t(hasFailed ? "redemptions.notRedeemed" : STATUSES[traced.status])}</span>
        <Explain traced={traced} steps={steps} />
      </div>
    );
  return steps.map((step, place) => (
    <div className={classes.line} key={step.says}>
      <span>
        {place === 0 && <b>{traced.id} </b>}
        <span className={classes.says}>{stepWord(step, { t, currency })}</span>
      </span>
      <span>
        {step.taken === undefined ? "" : formatDiscount(step.taken, currency, { locale: localeOf(), sign: false })}
      </span>
      {place === 0 ? <Explain traced={traced} steps={steps} /> : <span />}
    </div>
  ));
}

/** The order as a till prints it. Every amount is one that the server worked out. */
export default function Slip({ receipt, redemption }: { receipt: Receipt; redemption: Redemption }) {
  const t = useText();
  const { name, currency, timezone } = useProject();
  const amount = (minor: number | null | undefined) =>
    minor === null || minor === undefined ? "–" : formatMoney(minor, currency, { locale: localeOf(), sign: false });
  const items = (valueAt(receipt, "request.order.items") ?? []) as Item[];
  const hasFailed = redemption.status === "FAILED";
  const whole =
    amountAt(receipt, "result.order.amount") ??
    amountAt(redemption, "order.amount") ??
    amountAt(receipt, "request.order.amount");
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
      {receipt.trace.map((traced) => (
        <Discounts key={traced.id} traced={traced} hasFailed={hasFailed} />
      ))}
      <div className={`${classes.line} ${classes.total}`}>
        <span>{t("redemptions.toPay")}</span>
        <span>{amount(amountAt(receipt, "result.order.total_amount") ?? whole)}</span>
        <span />
      </div>
    </section>
  );
}
