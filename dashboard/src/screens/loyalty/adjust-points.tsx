import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { adjustCardPoints, type LoyaltyMemberWithCards } from "../../api/operations.gen.ts";
import { NumberInput } from "../../kit/later/fields.ts";
import { formatCount } from "../../kit/money/count.ts";
import { Can } from "../../kit/page/can.tsx";
import { useAct } from "../../kit/undo/use-act.ts";
import { useText } from "../../text/text.ts";

/** Gives points to a card, or takes some, with a reason. The button says how many. */
export default function AdjustPoints({ member, cardId }: { member: LoyaltyMemberWithCards; cardId: string | null }) {
  const t = useText();
  const adjust = useAct(adjustCardPoints);
  const [isOpen, setOpen] = useState(false);
  const [points, setPoints] = useState(0);
  const [reason, setReason] = useState("");
  const [isWrong, setWrong] = useState(false);
  const cards = member.cards.flatMap(({ card }) => card ?? []);
  const card = cards.find(({ id }) => id === cardId) ?? cards[0];
  if (!card) return null;
  const act = t(points < 0 ? "loyalty.takePoints" : "loyalty.givePoints", { count: Math.abs(points) });
  const press = async () => {
    setWrong(points === 0);
    if (points === 0) return;
    const params = { programId: member.program_id, memberId: member.id, cardId: card.id };
    if (await adjust.run({ params, body: { points, reason: reason.trim() || null } }, t("loyalty.adjusted")))
      setOpen(false);
  };
  return (
    <Can do="adjustCardPoints">
      <Button onClick={() => setOpen(true)}>{t("loyalty.adjust")}</Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={t("loyalty.adjust")}>
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            void press();
          }}
        >
          <Stack>
            <Text size="sm">
              {t("loyalty.adjustSays", { code: card.code, balance: formatCount(card.balance.points) })}
            </Text>
            <NumberInput
              label={t("loyalty.adjustPoints")}
              description={t("loyalty.adjustHelp")}
              allowDecimal={false}
              value={points}
              error={isWrong ? t("kit.form.required") : null}
              onChange={(value) => setPoints(Number(value) || 0)}
              data-autofocus
            />
            <TextInput
              label={t("loyalty.reason")}
              value={reason}
              onChange={({ currentTarget }) => setReason(currentTarget.value)}
            />
            <Group justify="flex-end">
              <Button type="submit" loading={adjust.isPending}>
                {act}
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </Can>
  );
}
