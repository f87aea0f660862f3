import { Alert, Button, Divider, Stack } from "@mantine/core";
import { useState } from "react";
import { statusOf } from "../../api/errors.ts";
import { useOffer } from "../../api/offer.ts";
import { startSingleSignOn } from "../../api/operations.gen.ts";
import { send } from "../../api/send.ts";
import { type TextKey, useText } from "../../text/text.ts";

/** The way to the provider of single sign-on, where there is one. The page that is open is opened again afterwards. */
export function ProviderButton() {
  const t = useText();
  const [fault, setFault] = useState<TextKey | null>(null);
  const [isBusy, setBusy] = useState(false);
  const { data: offer } = useOffer();
  if (!offer?.is_enabled) return null;
  const leave = async () => {
    setBusy(true);
    setFault(null);
    try {
      const return_to = `${location.pathname}${location.search}${location.hash}`;
      const { url } = await send(startSingleSignOn, {}, { body: { return_to } });
      location.assign(url);
    } catch (error) {
      setFault(statusOf(error) === 429 ? "signIn.tooMany" : "signIn.providerAway");
      setBusy(false);
    }
  };
  return (
    <Stack gap="lg" mt="lg">
      <Divider label={t("signIn.or")} />
      {fault && (
        <Alert color="red" variant="light" role="alert">
          {t(fault)}
        </Alert>
      )}
      <Button variant="default" loading={isBusy} onClick={() => void leave()} fullWidth>
        {t("signIn.provider", { name: offer.name })}
      </Button>
    </Stack>
  );
}
