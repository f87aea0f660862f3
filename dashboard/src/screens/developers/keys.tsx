import { useState } from "react";
import type { RowOf } from "../../api/op.ts";
import { disableKey, type KeyWithSecret, listKeys, rotateKey } from "../../api/operations.gen.ts";
import { useProject } from "../../api/session.ts";
import { confirm } from "../../kit/confirm/confirm.ts";
import { type Column, moment, mono, text, word } from "../../kit/list/columns.tsx";
import { ListScreen } from "../../kit/list/list-screen.tsx";
import { useList } from "../../kit/list/use-list.ts";
import { MoreMenu } from "../../kit/page/more-menu.tsx";
import { StatusBadge } from "../../kit/status/status-badge.tsx";
import { useAct } from "../../kit/undo/use-act.ts";
import { useText } from "../../text/text.ts";
import { KeySecret } from "./key-secret.tsx";
import { NewKey } from "./new-key.tsx";

type Key = RowOf<typeof listKeys>;

/** Another secret, or the end of the key. */
function KeyMenu({ row }: { row: Key }) {
  const t = useText();
  const { id: projectId } = useProject();
  const rotate = useAct(rotateKey);
  const disable = useAct(disableKey);
  const [made, setMade] = useState<KeyWithSecret | null>(null);
  if (row.disabled_at !== null) return null;
  const { name } = row;
  const params = { projectId, keyId: row.id, kind: row.kind };
  const change = async () => {
    const says = t("developers.rotateKeySays", { name });
    if (!(await confirm({ title: t("developers.rotateKey"), says, act: t("developers.rotateKey") }))) return;
    setMade((await rotate.run({ params, body: {} }))?.answer ?? null);
  };
  const switchOff = async () => {
    const act = t("developers.disableKeyAct", { name });
    const says = t("developers.disableKeySays", { name });
    if (await confirm({ title: t("developers.disableKey"), says, act, isDangerous: true }))
      await disable.run({ params }, t("developers.keyDisabled", { name }));
  };
  return (
    <>
      <MoreMenu
        items={[
          { text: t("developers.rotateKey"), can: "rotateKey", run: () => void change() },
          { text: t("developers.disableKey"), can: "disableKey", run: () => void switchOff(), isDangerous: true },
        ]}
      />
      <KeySecret made={made} onClose={() => setMade(null)} />
    </>
  );
}

const isOn: Column<Key> = {
  id: "disabled_at",
  title: "developers.status",
  cell: ({ disabled_at }) => <StatusBadge status={disabled_at === null ? "ACTIVE" : "DISABLED"} />,
  csv: ({ disabled_at }) => (disabled_at === null ? "ACTIVE" : "DISABLED"),
};
const more: Column<Key> = {
  id: "more",
  title: "developers.keyActions",
  cell: (row) => <KeyMenu row={row} />,
  csv: () => null,
};
const COLUMNS = [
  text<Key>("developers.keyName", "name"),
  word<Key>("developers.keyKind", "kind", { app: "developers.keyApp", client: "developers.keyClient" }),
  mono<Key>("developers.keyPairId", "id"),
  isOn,
  moment<Key>("developers.lastUsed", "last_used_at"),
  moment<Key>("developers.created", "created_at"),
  moment<Key>("developers.previousUntil", "previous_until", { isExtra: true }),
  more,
];

/** What programs use in place of a user. */
export default function Keys() {
  const { id: projectId } = useProject();
  const list = useList(listKeys, { projectId });
  return (
    <ListScreen
      list={list}
      title="developers.keys"
      actions={<NewKey />}
      columns={COLUMNS}
      idOf={({ kind, id }) => `${kind} ${id}`}
      empty={{ title: "developers.noKeys", help: "developers.noKeysHelp" }}
    />
  );
}
