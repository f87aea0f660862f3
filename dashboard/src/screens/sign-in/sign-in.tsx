import { Title } from "@mantine/core";
import { useEffect } from "react";
import { useText } from "../../text/text.ts";
import { Card } from "./card.tsx";
import { SignInForm } from "./form.tsx";

/** In place of every page while nobody is signed in; the address stays, and is opened afterwards. */
export default function SignIn() {
  const t = useText();
  useEffect(() => {
    document.title = `${t("signIn.title")} · Laurel`;
  }, [t]);
  return (
    <Card>
      <Title order={1} mb="lg" mt="sm">
        {t("signIn.title")}
      </Title>
      <SignInForm />
    </Card>
  );
}
