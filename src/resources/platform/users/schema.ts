import { type Static, Type } from "typebox";
import { Choice, DateTime, Id, listOf, PageQuery, strict } from "../../../http/schemas.ts";

/** Enough for names, a password and a code; strangers need no more. */
export const STRANGER_BYTES_MAX = 4096;

export const PASSWORD_LENGTH = { min: 12, max: 200 } as const;

export const Email = Type.Unsafe<string>({ type: "string", format: "email", maxLength: 254 });
const Name = Type.String({ minLength: 1, maxLength: 200 });
const RoleName = Type.String({
  minLength: 1,
  maxLength: 200,
  description: "`ADMIN`, `USER`, `VIEWER`, `MERCHANT`, `USER_RESTRICTED`, or the id of a custom role.",
});
export const UserIdentity = {
  id: Type.String(),
  login: Type.String({ description: "The e-mail address in lower case." }),
  email: Type.String(),
  first_name: Type.String(),
  last_name: Type.String(),
};

export const User = Type.Object(
  {
    ...UserIdentity,
    role: Type.String({ description: "The role in this project." }),
    projects: Type.Unsafe<Record<string, string>>({
      type: "object",
      additionalProperties: { type: "string" },
      description: "The role in each project, by the id of the project.",
    }),
    is_owner: Type.Boolean({ description: "An owner is given every new project, and keeps the team." }),
    status: Choice(["INVITED", "ACTIVE", "DISABLED"], {
      description: "`INVITED` until the invitation was accepted, `DISABLED` while the user may not sign in.",
    }),
  },
  { title: "User" },
);
export type User = Static<typeof User>;
export const UserList = listOf(User);
export const UserQuery = PageQuery(["created_at"]);

/** A user by id or by login, and a role. That it is one of the two is checked where it is used. */
export const UserAssign = strict({ id: Type.Optional(Id), login: Type.Optional(Id), role: RoleName });
export type UserAssign = Static<typeof UserAssign>;
export const UserRoleUpdate = strict({ role: RoleName });
export const UserInvite = strict({
  email: Email,
  first_name: Name,
  last_name: Name,
  projects: Type.Unsafe<Record<string, string>>({
    type: "object",
    minProperties: 1,
    maxProperties: 100,
    propertyNames: { minLength: 1, maxLength: 200 },
    additionalProperties: RoleName,
    description: "The role in each project, by the id of the project.",
  }),
});
export type UserInvite = Static<typeof UserInvite>;

export const LinkToken = Type.String({ minLength: 1, maxLength: 200, description: "What the link ends with." });
export const NewPassword = Type.String({ minLength: PASSWORD_LENGTH.min, maxLength: PASSWORD_LENGTH.max });
export const InvitationRead = strict({ token: LinkToken });
export const InvitationShown = Type.Object(
  {
    email: UserIdentity.email,
    first_name: UserIdentity.first_name,
    last_name: UserIdentity.last_name,
    expires_at: DateTime,
    is_reset: Type.Boolean({ description: "Whether it is for a new password of somebody who accepted long ago." }),
    object: Type.Literal("invitation"),
  },
  { title: "InvitationShown" },
);
export const InvitationLink = Type.Object(
  {
    url: Type.String({
      description: "The page where the user chooses a password. It works once. It is not shown again.",
    }),
    expires_at: DateTime,
    object: Type.Literal("invitation_link"),
  },
  { title: "InvitationLink" },
);
export const InvitationAccept = strict({
  token: LinkToken,
  first_name: Type.Optional(Name),
  last_name: Type.Optional(Name),
  password: NewPassword,
});
export type InvitationAccept = Static<typeof InvitationAccept>;
export const InvitationAccepted = Type.Object(
  { ...UserIdentity, accepted_at: DateTime, object: Type.Literal("invitation") },
  { title: "InvitationAccepted" },
);

export const InProject = Type.Object({ projectId: Type.String() });
export const ByUser = Type.Object({
  projectId: Type.String(),
  userId: Type.String({ description: "The id or the login." }),
});
