import { Alert, Button, Modal, Stack } from "@mantine/core";
import { useState } from "react";
import { createPublication } from "../../api/operations.gen.ts";
import { CUSTOMERS } from "../../api/sources.ts";
import { useSend } from "../../api/use-op.ts";
import { type Option, RecordSelect } from "../../kit/pick/record-select.tsx";
import { errorWord } from "../../kit/states/error-word.ts";
import { notifyDone } from "../../kit/undo/undo.tsx";
import { useText } from "../../text/text.ts";

/** Gives this code to a customer, who holds it from then on. */
export default function Publish({ code, onClose }: { code: string; onClose: () => void }) {
  const t = useText();
  const publish = useSend(createPublication);
  const [customer, setCustomer] = useState<Option | null>(null);
  const [isMissing, setMissing] = useState(false);
  const give = () => {
    if (!customer) return setMissing(true);
    publish.mutate(
      { params: {}, body: { voucher: code, customer: { id: customer.value } } },
      {
        onSuccess: () => {
          notifyDone(t("codes.publishedTo", { code, name: customer.label }));
          onClose();
        },
      },
    );
  };
  return (
    <Modal opened onClose={onClose} title={t("codes.publishTitle", { code })}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          give();
        }}
      >
        <Stack gap="lg">
          {publish.error && (
            <Alert color="red" variant="light" role="alert">
              {errorWord(t, publish.error)}
            </Alert>
          )}
          <RecordSelect
            source={CUSTOMERS}
            label={t("codes.customer")}
            description={t("codes.customerHelp")}
            value={customer}
            onChange={(next) => {
              setCustomer(next);
              setMissing(false);
            }}
            error={isMissing && t("kit.form.required")}
            clearButtonProps={{ "aria-label": t("kit.clearFilters") }}
            data-autofocus
          />
          <Button type="submit" loading={publish.isPending}>
            {customer ? t("codes.giveTo", { code, name: customer.label }) : t("codes.publish")}
          </Button>
        </Stack>
      </form>
    </Modal>
  );
}
