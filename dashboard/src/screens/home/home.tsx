import { SimpleGrid, Text } from "@mantine/core";
import { Link } from "react-router";
import { useCan, useSession } from "../../api/session.ts";
import { PageHead } from "../../kit/page/page-head.tsx";
import { Panel } from "../../kit/page/panel.tsx";
import { SCREENS } from "../../routes.ts";
import { useText } from "../../text/text.ts";

export default function Home() {
  const t = useText();
  const can = useCan();
  const { session } = useSession();
  const pages = SCREENS.filter(({ nav, needs, path }) => nav && path !== "/" && (needs === null || can(needs)));
  return (
    <>
      <PageHead
        title={t("home.title")}
        below={t("home.welcome", { name: session?.user.first_name ?? session?.user.login })}
      />
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }}>
        {pages.map(({ path, title }) => (
          <Panel key={path}>
            <Text component={Link} to={path} fw={600} c="inherit">
              {t(title)}
            </Text>
          </Panel>
        ))}
      </SimpleGrid>
    </>
  );
}
