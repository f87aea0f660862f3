import { Alert, Anchor, Loader, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { RequestError, statusOf } from "../../api/errors.ts";
import { finishSingleSignOn, type SingleSignOn } from "../../api/operations.gen.ts";
import { send } from "../../api/send.ts";
import { errorWord } from "../../kit/states/error-word.ts";
import { type TextKey, useText } from "../../text/text.ts";
import { Card } from "./card.tsx";
import { ProofForm } from "./proof.tsx";

/** With a new page: the session is in the cookie, and nothing of the provider stays in the history. */
const open = ({ return_to }: SingleSignOn) => location.replace(return_to);

const FAULTS: Record<string, TextKey> = {
  single_sign_on_refused: "signIn.providerRefused",
  single_sign_on_unavailable: "signIn.providerAway",
};
const faultOf = (error: unknown): TextKey => {
  if (statusOf(error) === 0) return "kit.noAnswer";
  return (error instanceof RequestError && FAULTS[error.key]) || "signIn.providerFailed";
};

function Problem({ error }: { error: unknown }) {
  const t = useText();
  const isRefused = error instanceof RequestError && error.key === "single_sign_on_refused";
  return (
    <>
      <Alert color="red" variant="light" role="alert">
        {t(faultOf(error))}
        {isRefused && (
          <Text size="sm" mt="xs">
            {errorWord(t, error)}
          </Text>
        )}
      </Alert>
      <Anchor href="/" mt="lg" display="block">
        {t("signIn.again")}
      </Anchor>
    </>
  );
}

/** Where the provider of single sign-on sends people back to. */
export default function Callback() {
  const t = useText();
  const [query] = useState(location.search.slice(1));
  const { data, error } = useQuery({
    queryKey: ["single-sign-on", query],
    queryFn: () => send(finishSingleSignOn, {}, { body: { query: query || "-" } }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  useEffect(() => {
    document.title = `${t("signIn.title")} · Laurel`;
    // What the provider sent works once, and need not stay in the address.
    history.replaceState(null, "", location.pathname);
  }, [t]);
  useEffect(() => {
    if (data?.status === "SIGNED_IN") open(data);
  }, [data]);
  let shown: ReactNode = <Loader aria-label={t("kit.loading")} />;
  if (error) shown = <Problem error={error} />;
  else if (data && data.status !== "SIGNED_IN") shown = <ProofForm asked={data} onDone={open} />;
  return (
    <Card>
      <Title order={1} mb="lg" mt="sm">
        {t(data?.status === "PASSWORD_REQUIRED" ? "signIn.linkTitle" : "signIn.title")}
      </Title>
      {shown}
    </Card>
  );
}
