import { Kbd, Modal, Switch, Table } from "@mantine/core";
import { useEffect, useState } from "react";
import { useLetters } from "../kit/keys/letters.ts";
import { KEYS_EVENT } from "../kit/keys/open.ts";
import { useText } from "../text/text.ts";

const KEYS = [
  ["palette", ["Ctrl K"]],
  ["search", ["/"]],
  ["rows", ["j", "k"]],
  ["open", ["Enter"]],
  ["select", ["x"]],
  ["edit", ["e"]],
  ["create", ["c"]],
  ["save", ["Ctrl S"]],
  ["help", ["?"]],
] as const;

/** `?`: all keys, and the switch for those who want none of the letters. */
export default function Keys() {
  const t = useText();
  const [isOpen, setOpen] = useState(true);
  const [hasLetters, setLetters] = useLetters();
  useEffect(() => {
    const open = () => setOpen(true);
    window.addEventListener(KEYS_EVENT, open);
    return () => window.removeEventListener(KEYS_EVENT, open);
  }, []);
  return (
    <Modal
      opened={isOpen}
      onClose={() => setOpen(false)}
      title={t("kit.keys.title")}
      closeButtonProps={{ "aria-label": t("kit.close") }}
    >
      <Table aria-label={t("kit.keys.title")}>
        <Table.Tbody>
          {KEYS.map(([name, keys]) => (
            <Table.Tr key={name}>
              <Table.Td>{t(`kit.keys.${name}`)}</Table.Td>
              <Table.Td ta="right">
                {keys.map((key) => (
                  <Kbd key={key} ml={4}>
                    {key}
                  </Kbd>
                ))}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Switch
        mt="lg"
        label={t("layout.letters")}
        checked={hasLetters}
        onChange={({ currentTarget }) => setLetters(currentTarget.checked)}
      />
    </Modal>
  );
}
