import type { RowOf } from "../../api/op.ts";
import { listBinEntries, purgeBinEntry } from "../../api/operations.gen.ts";
import { confirm } from "../../kit/confirm/confirm.ts";
import { type Column, moment, mono, text, word } from "../../kit/list/columns.tsx";
import { ListScreen } from "../../kit/list/list-screen.tsx";
import { useList } from "../../kit/list/use-list.ts";
import { MoreMenu } from "../../kit/page/more-menu.tsx";
import { useAct } from "../../kit/undo/use-act.ts";
import { type TextKey, useText } from "../../text/text.ts";
import { SettingsFrame } from "./frame.tsx";

type Entry = RowOf<typeof listBinEntries>;

const KINDS: Record<string, TextKey> = {
  campaign: "settings.kinds.campaign",
  product: "settings.kinds.product",
  sku: "settings.kinds.sku",
  voucher: "settings.kinds.voucher",
};

function EntryMenu({ entry }: { entry: Entry }) {
  const t = useText();
  const purge = useAct(purgeBinEntry);
  const name = entry.resource_name;
  const ask = async () => {
    const act = t("settings.purge");
    const says = t("settings.purgeSays", { name });
    if (await confirm({ title: act, says, act, word: name, isDangerous: true }))
      await purge.run({ params: { binEntryId: entry.id } }, t("settings.purged", { name }));
  };
  return (
    <MoreMenu items={[{ text: t("settings.purge"), can: "purgeBinEntry", run: () => void ask(), isDangerous: true }]} />
  );
}

const more: Column<Entry> = {
  id: "more",
  title: "settings.actions",
  cell: (entry) => <EntryMenu entry={entry} />,
  csv: () => null,
};
const COLUMNS = [
  text<Entry>("settings.name", "resource_name"),
  word<Entry>("settings.kind", "resource_type", KINDS),
  moment<Entry>("settings.deletedAt", "created_at"),
  mono<Entry>("settings.deletedBy", "deleted_by_user_id"),
  mono<Entry>("settings.objectId", "resource_id"),
  more,
];

export default function Trash() {
  const list = useList(listBinEntries, {}, { paging: "starting_after_id" });
  return (
    <SettingsFrame>
      <ListScreen
        list={list}
        title="settings.trash"
        columns={COLUMNS}
        empty={{ title: "settings.noTrash", help: "settings.noTrashHelp" }}
      />
    </SettingsFrame>
  );
}
