import { useOffer } from "../../../api/offer.ts";
import type { RowOf } from "../../../api/op.ts";
import {
  disableUser,
  enableUser,
  listRoles,
  listUsers,
  resendInvitation,
  unassignUser,
  updateUserRole,
} from "../../../api/operations.gen.ts";
import { useCan, useProject, useSession } from "../../../api/session.ts";
import { useOp } from "../../../api/use-op.ts";
import { confirm } from "../../../kit/confirm/confirm.ts";
import { Select } from "../../../kit/later/fields.ts";
import { type Column, status, text } from "../../../kit/list/columns.tsx";
import { ListScreen } from "../../../kit/list/list-screen.tsx";
import { useList } from "../../../kit/list/use-list.ts";
import { MoreMenu } from "../../../kit/page/more-menu.tsx";
import { useAct } from "../../../kit/undo/use-act.ts";
import { roleWord } from "../../../registry/words.ts";
import { useText } from "../../../text/text.ts";
import { SettingsFrame } from "../frame.tsx";
import { useInvitationLink } from "./invitation-link.tsx";
import { InviteButton } from "./invite.tsx";

type User = RowOf<typeof listUsers>;
const nameOf = ({ first_name, last_name }: User) => `${first_name} ${last_name}`.trim();

/** The role in this project. A change ends the sessions of that person at once. */
function RoleCell({ user }: { user: User }) {
  const t = useText();
  const can = useCan();
  const { id: projectId } = useProject();
  const { session } = useSession();
  const roles = useOp(listRoles, {}, { enabled: can("listRoles") });
  const update = useAct(updateUserRole);
  const all = roles.data?.data ?? [];
  const nameOfRole = (role: string) => roleWord(t, all.find(({ id }) => id === role) ?? role);
  if (!can("updateUserRole") || user.id === session?.user.id) return nameOfRole(user.role);
  const params = { projectId, userId: user.id };
  const change = (role: string) =>
    update.run(
      { params, body: { role } },
      t("settings.roleChanged", { name: nameOf(user), role: nameOfRole(role) }),
      () => update.run({ params, body: { role: user.role } }),
    );
  const ids = all.map((one) => ({ value: one.id, label: roleWord(t, one) }));
  const own = { value: user.role, label: nameOfRole(user.role) };
  const known = ids.some(({ value }) => value === user.role) ? ids : [own, ...ids];
  return (
    <Select
      size="xs"
      w={170}
      aria-label={t("settings.roleOf", { name: nameOf(user) })}
      data={known}
      value={user.role}
      allowDeselect={false}
      onChange={(role) => role && role !== user.role && void change(role)}
    />
  );
}

function UserMenu({ user }: { user: User }) {
  const t = useText();
  const { id: projectId, name: project } = useProject();
  const remove = useAct(unassignUser);
  const invite = useAct(resendInvitation);
  const disable = useAct(disableUser);
  const enable = useAct(enableUser);
  const { session } = useSession();
  const { data: offer } = useOffer();
  const link = useInvitationLink();
  const params = { projectId, userId: user.id };
  const takeOut = async () => {
    const says = t("settings.takeOutSays", { name: nameOf(user), project });
    const act = t("settings.takeOutAct", { name: nameOf(user) });
    if (await confirm({ title: t("settings.takeOut"), says, act, isDangerous: true }))
      await remove.run({ params }, t("settings.takenOut", { name: nameOf(user) }));
  };
  const name = nameOf(user);
  const switchOn = () => enable.run({ params }, t("settings.switchedOn", { name }));
  const switchOff = async () => {
    const says = t("settings.switchOffSays", { name });
    const act = t("settings.switchOffAct", { name });
    if (await confirm({ title: t("settings.switchOff"), says, act, isDangerous: true }))
      await disable.run({ params }, t("settings.switchedOff", { name }), () => enable.run({ params }));
  };
  const onOrOff =
    user.status === "DISABLED"
      ? { text: t("settings.switchOn"), can: "enableUser", run: () => void switchOn() }
      : { text: t("settings.switchOff"), can: "disableUser", run: () => void switchOff(), isDangerous: true };
  const again =
    offer?.sends_mail === false
      ? { text: t("settings.newLink"), can: "createInvitationLink", run: () => void link.make(user.id, user.email) }
      : {
          text: t("settings.inviteAgain"),
          can: "resendInvitation",
          run: () => void invite.run({ params }, t("settings.invitedAgain", { email: user.email })),
        };
  return (
    <>
      <MoreMenu
        items={[
          ...(user.id === session?.user.id ? [] : [onOrOff]),
          ...(user.status === "INVITED" ? [again] : []),
          { text: t("settings.takeOut"), can: "unassignUser", run: () => void takeOut(), isDangerous: true },
        ]}
      />
      {link.window}
    </>
  );
}

const name: Column<User> = { id: "name", title: "settings.name", cell: nameOf, csv: nameOf };
const role: Column<User> = {
  id: "role",
  title: "settings.role",
  cell: (user) => <RoleCell user={user} />,
  csv: (user) => user.role,
};
const more: Column<User> = {
  id: "more",
  title: "settings.actions",
  cell: (user) => <UserMenu user={user} />,
  csv: () => null,
};
const COLUMNS = [name, text<User>("settings.email", "email"), role, status<User>("settings.status", "status"), more];

export default function Users() {
  const { id: projectId } = useProject();
  const list = useList(listUsers, { projectId });
  return (
    <SettingsFrame>
      <ListScreen
        list={list}
        title="settings.users"
        actions={<InviteButton />}
        columns={COLUMNS}
        empty={{ title: "settings.noUsers" }}
      />
    </SettingsFrame>
  );
}
