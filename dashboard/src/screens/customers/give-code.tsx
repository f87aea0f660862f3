import { Alert, Button, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { type Customer, createPublication } from "../../api/operations.gen.ts";
import { CAMPAIGNS } from "../../api/sources.ts";
import { useSend } from "../../api/use-op.ts";
import { type Option, RecordSelect } from "../../kit/pick/record-select.tsx";
import { errorWord } from "../../kit/states/error-word.ts";
import { notifyDone } from "../../kit/undo/undo.tsx";
import { useText } from "../../text/text.ts";
import { nameOf } from "./names.ts";

/** Gives the next code of a campaign. A code that is given cannot be taken back, so the button says what it does. */
export default function GiveCode({ customer, onClose }: { customer: Customer; onClose: () => void }) {
  const t = useText();
  const publish = useSend(createPublication);
  const [campaign, setCampaign] = useState<Option | null>(null);
  const [reason, setReason] = useState("");
  const [isMissing, setMissing] = useState(false);
  const give = () => {
    if (!campaign) return setMissing(true);
    publish.mutate(
      {
        params: {},
        body: {
          campaign: { id: campaign.value, count: 1 },
          customer: { id: customer.id },
          ...(reason.trim() !== "" && { metadata: { reason: reason.trim() } }),
        },
      },
      {
        onSuccess: ({ voucher }) => {
          notifyDone(t("customers.codeGiven", { code: voucher?.code ?? "", name: nameOf(customer) }));
          onClose();
        },
      },
    );
  };
  return (
    <Modal opened onClose={onClose} title={t("customers.giveCode")}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          give();
        }}
      >
        <Stack gap="lg">
          <Text size="sm">{t("customers.giveCodeHelp", { name: nameOf(customer) })}</Text>
          {publish.error && (
            <Alert color="red" variant="light" role="alert">
              {errorWord(t, publish.error)}
            </Alert>
          )}
          <RecordSelect
            source={CAMPAIGNS}
            label={t("customers.campaign")}
            value={campaign}
            onChange={(next) => {
              setCampaign(next);
              setMissing(false);
            }}
            error={isMissing && t("kit.form.required")}
            clearButtonProps={{ "aria-label": t("kit.clearFilters") }}
            data-autofocus
          />
          <TextInput
            label={t("customers.reason")}
            description={t("customers.reasonHelp")}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
          <Button type="submit" loading={publish.isPending}>
            {campaign ? t("customers.giveOneOf", { campaign: campaign.label }) : t("customers.giveCode")}
          </Button>
        </Stack>
      </form>
    </Modal>
  );
}
