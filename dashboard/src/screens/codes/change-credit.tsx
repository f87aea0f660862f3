import { Alert, Button, Modal, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { adjustVoucherBalance } from "../../api/operations.gen.ts";
import { useProject } from "../../api/session.ts";
import { useSend } from "../../api/use-op.ts";
import { MoneyField } from "../../kit/form/money-field.tsx";
import { formatMoney } from "../../kit/money/money.ts";
import { errorWord } from "../../kit/states/error-word.ts";
import { notifyDone } from "../../kit/undo/undo.tsx";
import { localeOf, useText } from "../../text/text.ts";

/** Adds credit to a gift card, or takes some away with a minus, for a reason that stays in the ledger. */
export default function ChangeCredit({ code, onClose }: { code: string; onClose: () => void }) {
  const t = useText();
  const { currency } = useProject();
  const adjust = useSend(adjustVoucherBalance);
  const [amount, setAmount] = useState<number | null>(null);
  const [reason, setReason] = useState("");
  const [isPressed, setPressed] = useState(false);
  const shown = amount ? formatMoney(amount, currency, { locale: localeOf() }) : "";
  const change = () => {
    setPressed(true);
    if (!amount || reason.trim() === "") return;
    adjust.mutate(
      { params: { code }, body: { amount, reason: reason.trim() } },
      {
        onSuccess: () => {
          notifyDone(t("codes.creditChanged", { amount: shown, code }));
          onClose();
        },
      },
    );
  };
  return (
    <Modal opened onClose={onClose} title={t("codes.changeCredit")}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          change();
        }}
      >
        <Stack gap="lg">
          {adjust.error && (
            <Alert color="red" variant="light" role="alert">
              {errorWord(t, adjust.error)}
            </Alert>
          )}
          <MoneyField
            label={t("codes.moved")}
            description={t("codes.creditHelp")}
            onChange={setAmount}
            error={isPressed && !amount && t("kit.form.money")}
            data-autofocus
          />
          <TextInput
            label={t("codes.reason")}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
            error={isPressed && reason.trim() === "" && t("kit.form.required")}
          />
          <Button type="submit" loading={adjust.isPending}>
            {amount ? t("codes.changeBy", { amount: shown, code }) : t("codes.changeCredit")}
          </Button>
        </Stack>
      </form>
    </Modal>
  );
}
