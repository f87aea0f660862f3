import {
  acceptInvitation,
  createInvitationLink,
  inviteUser,
  resendInvitation,
  showInvitation,
} from "../../../flows/platform/invite-user.ts";
import {
  assignUser,
  disableUser,
  enableUser,
  requireInProject,
  unassignUser,
  updateUserRole,
} from "../../../flows/platform/user-roles.ts";
import { list, read, write } from "../../../http/route.ts";
import { Empty } from "../../../http/schemas.ts";
import {
  ByUser,
  InProject,
  InvitationAccept,
  InvitationAccepted,
  InvitationLink,
  InvitationRead,
  InvitationShown,
  STRANGER_BYTES_MAX,
  User,
  UserAssign,
  UserInvite,
  UserList,
  UserQuery,
  UserRoleUpdate,
} from "./schema.ts";
import { getUser, listUsersOf, view } from "./store.ts";

export const userRoutes = [
  write(
    "POST /management/v1/projects/users/invite",
    {
      id: "inviteUser",
      summary: "Invite a user",
      description:
        "Creates a user without a password and sends them a link that works once, for seven days. Without a mail server nothing is sent: make a link with `POST …/users/{userId}/invitation/link` or `laurel user invite`. An address that is known is refused, also when its invitation has expired: send the invitation again.",
      body: UserInvite,
      ok: Empty,
    },
    async (c) => inviteUser(c, c.body),
  ),
  write(
    "POST /management/v1/projects/{projectId}/users/{userId}/invitation",
    {
      id: "resendInvitation",
      summary: "Send an invitation again",
      description:
        "For a user who has not accepted yet: the link expired, or the mail was lost. Sends a new link, which works once, for seven days; the one before ends. Without a mail server nothing is sent.",
      params: ByUser,
      ok: Empty,
    },
    async (c) => resendInvitation(c, c.params.userId),
  ),
  write(
    "POST /management/v1/projects/{projectId}/users/{userId}/invitation/link",
    {
      id: "createInvitationLink",
      summary: "Make a link for who is invited",
      description:
        "For a user who has not accepted yet, where no mail server takes the link to them: hand it over yourself. It works once, for seven days; the one before ends. Nothing is sent.",
      params: ByUser,
      ok: InvitationLink,
      secret: true,
    },
    async (c) => createInvitationLink(c, c.params.userId),
  ),
  read(
    "POST /invitations/read",
    {
      id: "readInvitation",
      summary: "Read an invitation",
      description:
        "Whom an invitation is for. The token stands in the body: in a path it would be in the logs of proxies.",
      body: InvitationRead,
      bodyLimitBytes: STRANGER_BYTES_MAX,
      ok: InvitationShown,
    },
    async (c) => showInvitation(c, c.body.token),
  ),
  write(
    "POST /invitations/accept",
    {
      id: "acceptInvitation",
      summary: "Accept an invitation",
      description:
        "Sets the password of the user whom the link was sent to, and their names where they are sent. The token is all it takes, and works once.",
      body: InvitationAccept,
      bodyLimitBytes: STRANGER_BYTES_MAX,
      ok: InvitationAccepted,
    },
    async (c) => acceptInvitation(c, c.body),
  ),
  read(
    "GET /management/v1/projects/{projectId}/users",
    { id: "listUsers", summary: "List the users of a project", params: InProject, query: UserQuery, ok: UserList },
    async (c) => list(await listUsersOf(c.db, c.project.id, c.query), (row) => view(row, c.project.id)),
  ),
  write(
    "POST /management/v1/projects/{projectId}/users",
    {
      id: "assignUser",
      summary: "Assign a user to a project",
      description: "Takes the `id` or the `login` of a user who is known. Invite everybody else.",
      params: InProject,
      body: UserAssign,
      ok: User,
    },
    async (c) => assignUser(c, c.body),
  ),
  read(
    "GET /management/v1/projects/{projectId}/users/{userId}",
    { id: "getUser", summary: "Read a user of a project", params: ByUser, ok: User },
    async (c) => {
      const { userId: user, projectId } = c.params;
      return requireInProject(await getUser(c.db, user), { user, projectId });
    },
  ),
  write(
    "PUT /management/v1/projects/{projectId}/users/{userId}",
    {
      id: "updateUserRole",
      summary: "Change the role of a user in a project",
      params: ByUser,
      body: UserRoleUpdate,
      ok: User,
    },
    async (c) => updateUserRole(c, c.params.userId, c.body.role),
  ),
  write(
    "POST /management/v1/projects/{projectId}/users/{userId}/disable",
    {
      id: "disableUser",
      summary: "Switch a user off",
      description:
        "In all projects: the user is signed out at once and cannot sign in, by password, link or single sign-on. Roles stay. Nobody can switch off themselves, nor the last owner.",
      params: ByUser,
      ok: User,
    },
    async (c) => disableUser(c, c.params.userId),
  ),
  write(
    "POST /management/v1/projects/{projectId}/users/{userId}/enable",
    {
      id: "enableUser",
      summary: "Let a user sign in again",
      params: ByUser,
      ok: User,
    },
    async (c) => enableUser(c, c.params.userId),
  ),
  write(
    "DELETE /management/v1/projects/{projectId}/users/{userId}",
    {
      id: "unassignUser",
      summary: "Take a user out of a project",
      description: "The user stays, with the other projects. The only project of a user cannot be taken away.",
      params: ByUser,
      ok: Empty,
    },
    async (c) => unassignUser(c, c.params.userId),
  ),
];
