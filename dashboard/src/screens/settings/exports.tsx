import { Anchor, Button, Group, Modal, Stack } from "@mantine/core";
import { useState } from "react";
import type { BodyOf, RowOf } from "../../api/op.ts";
import { createExport, deleteExport, listExports } from "../../api/operations.gen.ts";
import { confirm } from "../../kit/confirm/confirm.ts";
import { Select } from "../../kit/later/fields.ts";
import { type Column, count, moment, status } from "../../kit/list/columns.tsx";
import { ListScreen } from "../../kit/list/list-screen.tsx";
import { useList } from "../../kit/list/use-list.ts";
import { Can } from "../../kit/page/can.tsx";
import { MoreMenu } from "../../kit/page/more-menu.tsx";
import { useAct } from "../../kit/undo/use-act.ts";
import { type TextKey, useText } from "../../text/text.ts";

type Export = RowOf<typeof listExports>;
type Kind = BodyOf<typeof createExport>["exported_object"];
const EVERY_MS = 3_000;

/** What can be exported from here; the rest needs a campaign, and is exported on its page. */
const KINDS = {
  voucher: "settings.exported.voucher",
  redemption: "settings.exported.redemption",
  customer: "settings.exported.customer",
  publication: "settings.exported.publication",
  order: "settings.exported.order",
  product: "settings.exported.product",
  sku: "settings.exported.sku",
} satisfies Partial<Record<Kind, TextKey>>;

const kind: Column<Export> = {
  id: "exported_object",
  title: "settings.what",
  cell: ({ exported_object: of }, { t }) => (of in KINDS ? t(KINDS[of as keyof typeof KINDS]) : of),
  csv: ({ exported_object }) => exported_object,
};
const file: Column<Export> = {
  id: "file",
  title: "settings.file",
  cell: ({ result, parameters, error }, { t }) =>
    result ? (
      <Anchor href={result.url} download inherit>
        {t("settings.download", { format: parameters.response_format })}
      </Anchor>
    ) : error ? (
      t("settings.exportFailed")
    ) : (
      "–"
    ),
  csv: () => null,
};
const more: Column<Export> = {
  id: "more",
  title: "settings.actions",
  cell: (row) => <ExportMenu id={row.id} />,
  csv: () => null,
};
const COLUMNS = [
  kind,
  status<Export>("settings.status", "status"),
  moment<Export>("settings.started", "created_at", { sort: "created_at" }),
  count<Export>("settings.rows", "result.rows"),
  file,
  more,
];

function ExportMenu({ id }: { id: string }) {
  const t = useText();
  const remove = useAct(deleteExport);
  const ask = async () => {
    const act = t("settings.deleteExport");
    if (await confirm({ title: act, says: t("settings.deleteExportSays"), act, isDangerous: true }))
      await remove.run({ params: { exportId: id } }, t("settings.exportDeleted"));
  };
  return (
    <MoreMenu
      items={[{ text: t("settings.deleteExport"), can: "deleteExport", run: () => void ask(), isDangerous: true }]}
    />
  );
}

function NewExport() {
  const t = useText();
  const create = useAct(createExport);
  const [isOpen, setOpen] = useState(false);
  const [what, setWhat] = useState<Kind>("voucher");
  const [format, setFormat] = useState<"CSV" | "JSONL">("CSV");
  const start = async () => {
    const body = { exported_object: what, parameters: { response_format: format } };
    if (await create.run({ params: {}, body }, t("settings.exportStarted"))) setOpen(false);
  };
  return (
    <Can do="createExport">
      <Button onClick={() => setOpen(true)}>{t("settings.newExport")}</Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={t("settings.newExport")}>
        <Stack>
          <Select
            label={t("settings.what")}
            data={Object.entries(KINDS).map(([value, key]) => ({ value, label: t(key) }))}
            value={what}
            allowDeselect={false}
            onChange={(value) => setWhat(value as Kind)}
          />
          <Select
            label={t("settings.format")}
            data={["CSV", "JSONL"]}
            value={format}
            allowDeselect={false}
            onChange={(value) => setFormat(value as "CSV" | "JSONL")}
          />
          <Group justify="flex-end">
            <Button loading={create.isPending} onClick={() => void start()}>
              {t("settings.startExport")}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </Can>
  );
}

export default function Exports() {
  const list = useList(listExports, { order: "-created_at" }, { everyMs: EVERY_MS });
  return (
    <ListScreen
      isPart
      list={list}
      title="settings.exports"
      actions={<NewExport />}
      columns={COLUMNS}
      empty={{ title: "settings.noExports", help: "settings.noExportsHelp" }}
    />
  );
}
