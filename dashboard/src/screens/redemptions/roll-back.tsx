import { Button, List, Stack, Text, TextInput } from "@mantine/core";
import { useRef } from "react";
import { type Receipt, type Redemption, rollbackStackedRedemptions } from "../../api/operations.gen.ts";
import { useProject } from "../../api/session.ts";
import { useSend } from "../../api/use-op.ts";
import { confirm } from "../../kit/confirm/confirm.ts";
import { valueAt } from "../../kit/list/columns.tsx";
import { formatMoney } from "../../kit/money/money.ts";
import { Can } from "../../kit/page/can.tsx";
import { notifyDone, notifyFailed } from "../../kit/undo/undo.tsx";
import { localeOf, useText } from "../../text/text.ts";

const codesOf = (receipt: Receipt | null, redemption: Redemption): string[] => {
  const traced = (receipt?.trace ?? []) as { id: string; status: string }[];
  const applied = traced.filter(({ status }) => status === "APPLICABLE").map(({ id }) => id);
  return applied.length > 0 ? applied : [redemption.voucher?.code ?? redemption.id];
};

type Props = { redemption: Redemption; receipt: Receipt | null; isReading: boolean };

/** Undoes a redemption with all its parts, after saying with numbers what that gives back: they are in the receipt. */
export function RollBackButton({ redemption, receipt, isReading }: Props) {
  const t = useText();
  const { currency } = useProject();
  const rollBack = useSend(rollbackStackedRedemptions);
  const reason = useRef("");
  if (redemption.status !== "SUCCEEDED" || redemption.object !== "redemption") return null;
  const codes = codesOf(receipt, redemption);
  const off = valueAt(receipt, "result.order.total_discount_amount") as number | undefined;
  const says = (
    <Stack gap="md">
      <Text size="sm">{t("redemptions.gives")}</Text>
      <List size="sm">
        {codes.map((code) => (
          <List.Item key={code}>{t("redemptions.oneUse", { code })}</List.Item>
        ))}
      </List>
      {off !== undefined && (
        <Text size="sm">
          {t("redemptions.moneyBack", { amount: formatMoney(off, currency, { locale: localeOf() }) })}
        </Text>
      )}
      <TextInput
        label={t("redemptions.reason")}
        maxLength={2000}
        data-autofocus
        onChange={({ currentTarget }) => {
          reason.current = currentTarget.value;
        }}
      />
    </Stack>
  );
  const ask = async () => {
    reason.current = "";
    const act = t("redemptions.rollBackAct", { count: codes.length });
    if (!(await confirm({ title: t("redemptions.rollBackTitle"), says, act, isDangerous: true }))) return;
    const params = { redemptionId: redemption.redemption ?? redemption.id };
    try {
      await rollBack.mutateAsync({ params, body: { reason: reason.current.trim() || null } });
      notifyDone(t("redemptions.rolledBack"));
    } catch (error) {
      notifyFailed(error);
    }
  };
  return (
    <Can do="rollbackStackedRedemptions">
      <Button variant="default" loading={isReading || rollBack.isPending} onClick={() => void ask()}>
        {t("redemptions.rollBack")}
      </Button>
    </Can>
  );
}
