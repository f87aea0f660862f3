import { ActionIcon, Kbd, type MantineColorScheme, Menu, Text, useMantineColorScheme } from "@mantine/core";
import { IconCheck, IconLogout, IconUserCircle } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { send } from "../api/send.ts";
import { deleteSession, signedOut, useProject, useSession } from "../api/session.ts";
import { forgetDrafts } from "../kit/form/drafts.ts";
import { useLetters } from "../kit/keys/letters.ts";
import { openKeys } from "../kit/keys/open.ts";
import { LANGUAGES, type Language, languageOf, speak, useText } from "../text/text.ts";

const SCHEMES: readonly MantineColorScheme[] = ["light", "dark", "auto"];
const ticked = (isOn: boolean) => ({ rightSection: isOn ? <IconCheck size={16} aria-hidden /> : null });

/** What somebody chooses for themselves, and the way out. */
export default function UserMenu() {
  const t = useText();
  const client = useQueryClient();
  const { session } = useSession();
  const project = useProject();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [hasLetters, setLetters] = useLetters();
  const leave = async () => {
    // Whoever sits down here next finds nothing, also when the server does not answer.
    await send(deleteSession, {}).catch(() => null);
    forgetDrafts();
    client.clear();
    signedOut();
  };
  return (
    <Menu position="bottom-end" width={230}>
      <Menu.Target>
        <ActionIcon aria-label={t("layout.user")}>
          <IconUserCircle size={20} stroke={1.75} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Text size="sm" px={12} pt={8} truncate>
          {t("layout.signedInAs", { login: session?.user.login })}
        </Text>
        <Text size="xs" c="dimmed" px={12} pb={8}>
          {t("layout.role", { role: project.role })}
        </Text>
        <Menu.Divider />
        <Menu.Label>{t("layout.colors")}</Menu.Label>
        {SCHEMES.map((scheme) => (
          <Menu.Item key={scheme} onClick={() => setColorScheme(scheme)} {...ticked(scheme === colorScheme)}>
            {t(`layout.${scheme}`)}
          </Menu.Item>
        ))}
        <Menu.Label>{t("layout.language")}</Menu.Label>
        {Object.entries(LANGUAGES).map(([code, name]) => (
          <Menu.Item
            key={code}
            lang={code}
            onClick={() => void speak(code as Language)}
            {...ticked(code === languageOf())}
          >
            {name}
          </Menu.Item>
        ))}
        <Menu.Label>{t("layout.keys")}</Menu.Label>
        <Menu.Item onClick={() => setLetters(!hasLetters)} {...ticked(hasLetters)}>
          {t("layout.letters")}
        </Menu.Item>
        <Menu.Item onClick={openKeys} rightSection={<Kbd size="xs">?</Kbd>}>
          {t("layout.allKeys")}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item component="a" href="/docs" target="_blank">
          {t("layout.reference")}
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} stroke={1.75} />} onClick={() => void leave()}>
          {t("layout.signOut")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
