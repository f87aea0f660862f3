import { Button, Stack, Text, Title } from "@mantine/core";
import { Link, useRouteError } from "react-router";
import { useText } from "../text/text.ts";

/** A chunk of a build that is gone: somebody installed a new version while the page was open. */
const isOldBuild = (error: unknown) =>
  error instanceof TypeError && /dynamically imported module|module script|Importing a module/i.test(error.message);

/** In place of a page that threw an error. What was typed is in the drafts. */
export function Failed() {
  const t = useText();
  const error = useRouteError();
  return (
    <Stack maw={560} mx="auto" mt={64} px="lg" role="alert">
      <Title order={1}>{t(isOldBuild(error) ? "layout.newVersion" : "layout.failed")}</Title>
      {!isOldBuild(error) && <Text c="dimmed">{error instanceof Error ? error.message : String(error)}</Text>}
      <Button w="fit-content" onClick={() => location.reload()}>
        {t("layout.reload")}
      </Button>
    </Stack>
  );
}

export function NotFound() {
  const t = useText();
  return (
    <Stack maw={560} mx="auto" mt={64} px="lg">
      <Title order={1}>{t("layout.notFound")}</Title>
      <Text c="dimmed">{t("layout.notFoundHelp")}</Text>
      <Button component={Link} to="/" w="fit-content">
        {t("layout.toHome")}
      </Button>
    </Stack>
  );
}
