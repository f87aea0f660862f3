import { Paper, Title } from "@mantine/core";
import { useEffect } from "react";
import { useText } from "../../text/text.ts";
import { SignInForm } from "./form.tsx";
import classes from "./sign-in.module.css";

/** In place of every page while nobody is signed in; the address stays, and is opened afterwards. */
export default function SignIn() {
  const t = useText();
  useEffect(() => {
    document.title = `${t("signIn.title")} · Laurel`;
  }, [t]);
  return (
    <main className={classes.page}>
      <Paper withBorder className={classes.card!}>
        <img src="/assets/laurel.svg" alt="" width={40} height={40} />
        <Title order={1} mb="lg" mt="sm">
          {t("signIn.title")}
        </Title>
        <SignInForm />
      </Paper>
    </main>
  );
}
