import { Button, Text, Title } from "@mantine/core";
import { useState } from "react";
import {
  getVoucherRedemptions,
  listVoucherTransactions,
  type Redemption,
  type Transaction,
} from "../../api/operations.gen.ts";
import { useOp } from "../../api/use-op.ts";
import { formatMoment } from "../../kit/date/date.ts";
import { type Column, count, discount, link, moment, money, text, word } from "../../kit/list/columns.tsx";
import { SmallTable } from "../../kit/list/small-table.tsx";
import { Panel } from "../../kit/page/panel.tsx";
import { Failure, LoadingRows } from "../../kit/states/states.tsx";
import { redemptionResult } from "../../registry/redemption-result.tsx";
import { type TextKey, useText } from "../../text/text.ts";

const FEW = 10;
const MANY = 100;

const REDEMPTIONS: readonly Column<Redemption>[] = [
  link<Redemption>(
    "codes.date",
    ({ date }, { zone }) => formatMoment(date, zone),
    ({ id }) => `/redemptions/${id}`,
  ),
  redemptionResult("codes.result"),
  text<Redemption>("codes.customer", "customer.source_id"),
  text<Redemption>("codes.order", "order.source_id"),
  money<Redemption>("codes.amount", "order.amount"),
  discount<Redemption>("codes.discount", "order.total_applied_discount_amount"),
];

const KINDS: Record<string, TextKey> = {
  CREDITS_REDEMPTION: "codes.moves.CREDITS_REDEMPTION",
  CREDITS_REFUND: "codes.moves.CREDITS_REFUND",
  CREDITS_ADDITION: "codes.moves.CREDITS_ADDITION",
  CREDITS_REMOVAL: "codes.moves.CREDITS_REMOVAL",
  POINTS_ACCRUAL: "codes.moves.POINTS_ACCRUAL",
  POINTS_REDEMPTION: "codes.moves.POINTS_REDEMPTION",
  POINTS_REFUND: "codes.moves.POINTS_REFUND",
  POINTS_ADDITION: "codes.moves.POINTS_ADDITION",
  POINTS_REMOVAL: "codes.moves.POINTS_REMOVAL",
  POINTS_EXPIRATION: "codes.moves.POINTS_EXPIRATION",
  POINTS_TRANSFER_IN: "codes.moves.POINTS_TRANSFER_IN",
  POINTS_TRANSFER_OUT: "codes.moves.POINTS_TRANSFER_OUT",
  PENDING_POINTS_ACTIVATION: "codes.moves.PENDING_POINTS_ACTIVATION",
};
const movements = (isGift: boolean): readonly Column<Transaction>[] => [
  moment<Transaction>("codes.date", "created_at"),
  word<Transaction>("codes.move", "type", KINDS),
  isGift
    ? money<Transaction>("codes.moved", "details.balance.amount")
    : count<Transaction>("codes.moved", "details.balance.points"),
  isGift
    ? money<Transaction>("codes.balance", "details.balance.balance")
    : count<Transaction>("codes.balance", "details.balance.balance"),
  text<Transaction>("codes.reason", "reason"),
];

/** When the code was used, with what came of it. */
export function Redemptions({ code }: { code: string }) {
  const t = useText();
  const [limit, setLimit] = useState(FEW);
  const { data, error, refetch } = useOp(getVoucherRedemptions, { code, limit }, { keepOld: true });
  return (
    <Panel>
      <Title order={2} mb="sm">
        {t("codes.redemptions")}
      </Title>
      {data === undefined &&
        (error ? <Failure error={error} retry={() => void refetch()} /> : <LoadingRows rows={3} />)}
      {data?.total === 0 && <Text c="dimmed">{t("codes.neverUsed")}</Text>}
      {data && data.total > 0 && (
        <SmallTable
          label={t("codes.redemptions")}
          rows={data.redemption_entries}
          columns={REDEMPTIONS}
          idOf={({ id }) => id}
        />
      )}
      {data && data.total > limit && limit < MANY && (
        <Button variant="default" mt="md" onClick={() => setLimit(MANY)}>
          {t("codes.older")}
        </Button>
      )}
    </Panel>
  );
}

/** What was moved on a gift card or a loyalty card, the newest first. */
export function Movements({ code, isGift }: { code: string; isGift: boolean }) {
  const t = useText();
  const [limit, setLimit] = useState(FEW);
  const { data, error, refetch } = useOp(listVoucherTransactions, { code, limit, order: "-id" }, { keepOld: true });
  return (
    <Panel>
      <Title order={2} mb="sm">
        {t("codes.movements")}
      </Title>
      {data === undefined &&
        (error ? <Failure error={error} retry={() => void refetch()} /> : <LoadingRows rows={3} />)}
      {data?.data.length === 0 && <Text c="dimmed">{t("codes.neverMoved")}</Text>}
      {data && data.data.length > 0 && (
        <SmallTable label={t("codes.movements")} rows={data.data} columns={movements(isGift)} idOf={({ id }) => id} />
      )}
      {data?.has_more && limit < MANY && (
        <Button variant="default" mt="md" onClick={() => setLimit(MANY)}>
          {t("codes.older")}
        </Button>
      )}
    </Panel>
  );
}
