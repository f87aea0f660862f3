import { Alert, Button, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { adjustCardPoints, adjustLoyaltyMemberBalance, type Customer } from "../../api/operations.gen.ts";
import { useSend } from "../../api/use-op.ts";
import { NumberInput, Select } from "../../kit/later/fields.ts";
import { formatCount } from "../../kit/money/count.ts";
import { errorWord } from "../../kit/states/error-word.ts";
import { notifyDone } from "../../kit/undo/undo.tsx";
import { type Text as Texts, useText } from "../../text/text.ts";
import { nameOf } from "./names.ts";
import type { ProgramCard } from "./programs.ts";
import { useWallet } from "./wallet.tsx";

type Card = {
  value: string;
  label: string;
  at: { code: string } | { programId: string; memberId: string; cardId: string };
};

/** All cards that points can go to: those of campaigns and those of programs. */
function cardsOf(wallet: ReturnType<typeof useWallet>["data"], programs: readonly ProgramCard[], t: Texts): Card[] {
  const points = (count: number) => t("worth.points", { count, points: formatCount(count) });
  const ofCampaigns = (wallet?.data ?? []).flatMap(({ redeemable: { voucher } }) =>
    voucher.loyalty_card
      ? [
          {
            value: voucher.id,
            label: [voucher.campaign ?? voucher.code, points(voucher.loyalty_card.balance)].filter(Boolean).join(" · "),
            at: { code: voucher.code },
          },
        ]
      : [],
  );
  const ofPrograms = programs.map(({ program, member, card, wallet: name }) => ({
    value: card.id,
    label: [program.name, name, points(card.balance.points)].filter(Boolean).join(" · "),
    at: { programId: program.id, memberId: member.id, cardId: card.id },
  }));
  return [...ofCampaigns, ...ofPrograms];
}

type Props = { customer: Customer; programs: readonly ProgramCard[]; onClose: () => void };

/** Gives points, or takes some with a minus, for a reason that stays in the ledger. */
export default function GivePoints({ customer, programs, onClose }: Props) {
  const t = useText();
  const cards = cardsOf(useWallet(customer.id).data, programs, t);
  const [ofCampaign, ofProgram] = [useSend(adjustLoyaltyMemberBalance), useSend(adjustCardPoints)];
  const [chosen, setChosen] = useState<string | null>(null);
  const [points, setPoints] = useState<string | number>("");
  const [reason, setReason] = useState("");
  const [isPressed, setPressed] = useState(false);
  const card = cards.find(({ value }) => value === (chosen ?? cards[0]?.value));
  const amount = typeof points === "number" ? points : null;
  const faults = {
    card: card ? null : t("kit.form.required"),
    points: amount === null || amount === 0 ? t("customers.pointsMissing") : null,
    reason: reason.trim() === "" ? t("kit.form.required") : null,
  };
  const error = ofCampaign.error ?? ofProgram.error;
  const give = () => {
    setPressed(true);
    if (!card || amount === null || Object.values(faults).some((fault) => fault !== null)) return;
    const body = { points: amount, reason: reason.trim() };
    const onSuccess = () => {
      notifyDone(t("customers.pointsGiven", { count: amount, points: formatCount(amount), name: nameOf(customer) }));
      onClose();
    };
    if ("code" in card.at) ofCampaign.mutate({ params: { memberId: card.at.code }, body }, { onSuccess });
    else ofProgram.mutate({ params: card.at, body }, { onSuccess });
  };
  return (
    <Modal opened onClose={onClose} title={t("customers.givePoints")}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          give();
        }}
      >
        <Stack gap="lg">
          {cards.length === 0 && <Text size="sm">{t("customers.noCard")}</Text>}
          {error && (
            <Alert color="red" variant="light" role="alert">
              {errorWord(t, error)}
            </Alert>
          )}
          <Select
            label={t("customers.card")}
            data={cards.map(({ value, label }) => ({ value, label }))}
            value={card?.value ?? null}
            onChange={setChosen}
            error={isPressed && faults.card}
          />
          <NumberInput
            label={t("customers.points")}
            description={t("customers.pointsHelp")}
            value={points}
            onChange={setPoints}
            allowDecimal={false}
            hideControls
            error={isPressed && faults.points}
            data-autofocus
          />
          <TextInput
            label={t("customers.reason")}
            description={t("customers.reasonInLedger")}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
            error={isPressed && faults.reason}
          />
          <Button type="submit" loading={ofCampaign.isPending || ofProgram.isPending}>
            {amount
              ? t("customers.giveThese", { count: amount, points: formatCount(amount), name: nameOf(customer) })
              : t("customers.givePoints")}
          </Button>
        </Stack>
      </form>
    </Modal>
  );
}
