import { Button, TextInput } from "@mantine/core";
import { useNavigate, useParams } from "react-router";
import {
  createRole,
  deleteRole,
  getRole,
  listRoles,
  listUsers,
  type Role,
  updateRole,
} from "../../../api/operations.gen.ts";
import { type Answer, send, sendFor } from "../../../api/send.ts";
import { useCan, useProject } from "../../../api/session.ts";
import { useOp, useRecord } from "../../../api/use-op.ts";
import { ShowAsCall } from "../../../kit/call/show-as-call.tsx";
import { confirm } from "../../../kit/confirm/confirm.ts";
import { known } from "../../../kit/confirm/known.ts";
import { RecordForm } from "../../../kit/form/record-form.tsx";
import { useRecordForm, type Version } from "../../../kit/form/use-record-form.ts";
import { PageHead } from "../../../kit/page/page-head.tsx";
import { Panel } from "../../../kit/page/panel.tsx";
import { Loaded } from "../../../kit/states/loaded.tsx";
import { notifyDone } from "../../../kit/undo/undo.tsx";
import { useAct } from "../../../kit/undo/use-act.ts";
import { roleSays, roleWord } from "../../../registry/words.ts";
import { useText } from "../../../text/text.ts";
import { SettingsFrame } from "../frame.tsx";
import { PermissionMatrix } from "./permission-matrix.tsx";

type Values = { name: string; permissions: string[] };
const NEW: Version<Values> = { values: { name: "", permissions: [] }, etag: null };
const versionOf = ({ body: { name, permissions }, etag }: Answer<Role>): Version<Values> => ({
  values: { name, permissions },
  etag,
});

/** All resources: the ones that any role names. */
const resourcesOf = (roles: readonly Role[]) =>
  [...new Set(roles.flatMap(({ permissions }) => permissions.map((one) => one.split(".")[0]!)))].sort();

type Props = { roleId: string | null; from: Version<Values>; isFixed: boolean };

function Fields({ roleId, from, isFixed }: Props) {
  const t = useText();
  const navigate = useNavigate();
  const roles = useOp(listRoles, {});
  const state = useRecordForm<Values>({
    record: `role:${roleId ?? "new"}`,
    from,
    validate: ({ name, permissions }) => ({
      ...(name.trim() === "" && { name: t("kit.form.required") }),
      ...(permissions.length === 0 && { permissions: t("settings.noPermissions") }),
    }),
    save: async (send, changes, version) =>
      roleId === null
        ? send(createRole, { params: {}, body: changes as Values })
        : send(updateRole, { params: { roleId }, body: changes, ...version }),
    ...(roleId !== null && { readAgain: async () => versionOf(await sendFor(getRole, { roleId })) }),
    onSaved: () => {
      notifyDone(t("kit.form.saved"));
      void navigate("/settings/roles");
    },
  });
  const { form } = state;
  const matrix = (
    <Loaded of={roles}>
      {({ data }) => (
        <PermissionMatrix
          key={form.key("permissions")}
          label={t("settings.permissions")}
          resources={resourcesOf(data)}
          isFixed={isFixed}
          {...form.getInputProps("permissions")}
        />
      )}
    </Loaded>
  );
  if (isFixed) return <Panel>{matrix}</Panel>;
  return (
    <Panel width={752}>
      <RecordForm state={state} labels={{ name: t("settings.name"), permissions: t("settings.permissions") }}>
        <TextInput label={t("settings.name")} required key={form.key("name")} {...form.getInputProps("name")} />
        {matrix}
      </RecordForm>
    </Panel>
  );
}

function DeleteButton({ role }: { role: Role }) {
  const t = useText();
  const navigate = useNavigate();
  const remove = useAct(deleteRole);
  const { id: projectId } = useProject();
  const ask = async () => {
    const users = await known(send(listUsers, { projectId, limit: 100 }));
    const count = users?.data.filter((user) => user.role === role.id).length;
    const has = count === 0 ? t("settings.roleNobody") : t("settings.roleHolders", { count });
    const says = [count !== undefined && has, t("settings.deleteRoleSays")].filter(Boolean).join(" ");
    const act = t("settings.deleteRole", { name: role.name });
    if (!(await confirm({ title: act, says, act, isDangerous: true }))) return;
    if (await remove.run({ params: { roleId: role.id } }, t("settings.roleDeleted"))) void navigate("/settings/roles");
  };
  return (
    <Button variant="default" loading={remove.isPending} onClick={() => void ask()}>
      {t("settings.delete")}
    </Button>
  );
}

function ExistingRole({ roleId }: { roleId: string }) {
  const t = useText();
  const can = useCan();
  const role = useRecord(getRole, { roleId });
  return (
    <Loaded of={role}>
      {(answer) => {
        const { is_built_in } = answer.body;
        return (
          <>
            <PageHead
              title={roleWord(t, answer.body)}
              below={is_built_in ? `${roleSays(t, answer.body)}. ${t("settings.fixedRole")}` : null}
            >
              {!is_built_in && can("deleteRole") && <DeleteButton role={answer.body} />}
              <ShowAsCall operation={getRole} params={{ roleId }} />
            </PageHead>
            <Fields roleId={roleId} from={versionOf(answer)} isFixed={is_built_in || !can("updateRole")} />
          </>
        );
      }}
    </Loaded>
  );
}

export default function RolePage() {
  const t = useText();
  const { roleId } = useParams();
  return (
    <SettingsFrame>
      {roleId === undefined ? (
        <>
          <PageHead title={t("settings.newRole")} />
          <Fields roleId={null} from={NEW} isFixed={false} />
        </>
      ) : (
        <ExistingRole roleId={roleId} />
      )}
    </SettingsFrame>
  );
}
