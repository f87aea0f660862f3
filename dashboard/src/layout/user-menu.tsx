import { ActionIcon, Kbd, type MantineColorScheme, Text, useMantineColorScheme } from "@mantine/core";
import { IconCheck, IconLogout, IconUserCircle } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { send } from "../api/send.ts";
import { deleteSession, signedOut, useProject, useSession } from "../api/session.ts";
import { forgetDrafts } from "../kit/form/drafts.ts";
import { useLetters } from "../kit/keys/letters.ts";
import { openKeys } from "../kit/keys/open.ts";
import { MenuButton, type MenuEntry } from "../kit/menu/menu-button.tsx";
import { roleWord } from "../registry/words.ts";
import { LANGUAGES, type Language, languageOf, speak, useText } from "../text/text.ts";

const SCHEMES: readonly MantineColorScheme[] = ["light", "dark", "auto"];
const ticked = (isOn: boolean) => ({ right: isOn ? <IconCheck size={16} aria-hidden /> : null });

/** What somebody chooses for themselves, and the way out. */
export function UserMenu() {
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
  const head = (
    <>
      <Text size="sm" px={12} pt={8} truncate>
        {t("layout.signedInAs", { login: session?.user.login })}
      </Text>
      <Text size="xs" c="dimmed" px={12} pb={8}>
        {t("layout.role", { role: roleWord(t, project.role) })}
      </Text>
    </>
  );
  const schemes = SCHEMES.map((scheme) => ({
    text: t(`layout.${scheme}`),
    run: () => setColorScheme(scheme),
    ...ticked(scheme === colorScheme),
  }));
  const languages = Object.entries(LANGUAGES).map(([code, name]) => ({
    text: name,
    lang: code,
    run: () => void speak(code as Language),
    ...ticked(code === languageOf()),
  }));
  const entries: readonly MenuEntry[] = [
    ...(["line", { heading: t("layout.colors") }] as const),
    ...schemes,
    { heading: t("layout.language") },
    ...languages,
    { heading: t("layout.keys") },
    { text: t("layout.letters"), run: () => setLetters(!hasLetters), ...ticked(hasLetters) },
    { text: t("layout.allKeys"), run: openKeys, right: <Kbd size="xs">?</Kbd> },
    "line",
    { text: t("layout.reference"), href: "/docs" },
    { text: t("layout.signOut"), run: () => void leave(), left: <IconLogout size={16} stroke={1.75} /> },
  ];
  const button = (
    <ActionIcon aria-label={t("layout.user")}>
      <IconUserCircle size={20} stroke={1.75} />
    </ActionIcon>
  );
  return <MenuButton button={button} width={230} head={head} entries={entries} />;
}
