import type { RowOf } from "../../../api/op.ts";
import { listRoles } from "../../../api/operations.gen.ts";
import { type Column, count, link, moment, text } from "../../../kit/list/columns.tsx";
import { ListScreen } from "../../../kit/list/list-screen.tsx";
import { useList } from "../../../kit/list/use-list.ts";
import { formatCount } from "../../../kit/money/count.ts";
import { roleSays, roleWord } from "../../../registry/words.ts";
import { SettingsFrame } from "../frame.tsx";
import { permitted } from "./permission-matrix.tsx";

type Role = RowOf<typeof listRoles>;

const kind: Column<Role> = {
  id: "is_built_in",
  title: "settings.kind",
  cell: ({ is_built_in }, { t }) => t(is_built_in ? "settings.builtIn" : "settings.custom"),
  csv: ({ is_built_in }) => (is_built_in ? "built-in" : "custom"),
};
const COLUMNS = [
  link<Role>(
    "settings.role",
    (role, { t }) => roleWord(t, role),
    ({ id }) => `/settings/roles/${id}`,
  ),
  text<Role>("settings.says", "name", { cell: (role, { t }) => (role.is_built_in ? roleSays(t, role) : "–") }),
  kind,
  count<Role>("settings.permissions", "permissions", {
    cell: ({ permissions }) => formatCount(permitted(permissions)),
    csv: ({ permissions }) => permitted(permissions),
  }),
  moment<Role>("settings.changed", "updated_at", { isExtra: true }),
];

export default function Roles() {
  const list = useList(listRoles);
  return (
    <SettingsFrame>
      <ListScreen
        list={list}
        title="settings.roles"
        create={{ to: "/settings/roles/new", text: "settings.newRole", can: "createRole" }}
        columns={COLUMNS}
        empty={{ title: "settings.noRoles" }}
      />
    </SettingsFrame>
  );
}
