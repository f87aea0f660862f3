import { type Static, Type } from "typebox";
import { DateTime, listOf, strict } from "../../../http/schemas.ts";
import { Email, LinkToken, NewPassword, PASSWORD_LENGTH, UserIdentity } from "./schema.ts";

const Operations = (description: string) => Type.Array(Type.String(), { description });

export const UserSession = Type.Object(
  {
    object: Type.Literal("session"),
    csrf_token: Type.String({
      description: "Sent as `X-Laurel-CSRF` with every request of this session that is no GET.",
    }),
    created_at: DateTime,
    expires_at: Type.Unsafe<string>({
      ...DateTime,
      description:
        "When it ends unless it is used: 12 hours after its last use, and 7 days after it began at the latest.",
    }),
    user: Type.Object({
      id: UserIdentity.id,
      login: UserIdentity.login,
      first_name: UserIdentity.first_name,
      last_name: UserIdentity.last_name,
      is_owner: Type.Boolean(),
      has_password: Type.Boolean({
        description: "False for who came with a link, or with single sign-on: the former have to choose a password.",
      }),
      has_identity: Type.Boolean({ description: "Whether an account of the provider of single sign-on is linked." }),
      has_totp: Type.Boolean({ description: "Whether signing in asks for a code of an authenticator app." }),
    }),
    projects: Type.Array(
      Type.Object({
        id: Type.String({ description: "Sent as `X-Laurel-Project` with requests to `/v1` and `/v2`." }),
        name: Type.String(),
        currency: Type.String(),
        timezone: Type.String(),
        is_sandbox: Type.Boolean(),
        role: Type.String(),
        operations: Operations("The ids of the operations that the user may call for this project."),
      }),
    ),
    operations: Operations("The ids of the operations that name no project and that the user may call."),
  },
  { title: "Session" },
);
export type UserSession = Static<typeof UserSession>;

const OwnSession = Type.Object(
  {
    id: Type.String(),
    created_at: DateTime,
    last_used_at: Type.Unsafe<string>({ ...DateTime, description: "Noted up to half a minute late." }),
    ends_at: DateTime,
    is_current: Type.Boolean({ description: "The one that asks." }),
    object: Type.Literal("user_session"),
  },
  { title: "OwnSession" },
);
export const OwnSessionList = listOf(OwnSession);
export const BySession = Type.Object({ sessionId: Type.String() });

const Code = (description: string) => Type.String({ minLength: 1, maxLength: 40, description });

export const SessionCreate = strict({
  email: Email,
  password: Type.String({ minLength: 1, maxLength: PASSWORD_LENGTH.max }),
  code: Type.Optional(
    Code("What the authenticator app shows, or a recovery code. Only users who have set one up need it."),
  ),
});
export type SessionCreate = Static<typeof SessionCreate>;

export const SessionLink = strict({ token: LinkToken });
export const PasswordReset = strict({ email: Email });
export const PasswordResetAsked = Type.Object(
  { object: Type.Literal("password_reset") },
  { title: "PasswordResetAsked" },
);
export const PasswordResetAccept = strict({ token: LinkToken, password: NewPassword });
export const PasswordUpdate = strict({
  current: Type.Optional(
    Type.String({ minLength: 1, maxLength: PASSWORD_LENGTH.max, description: "Of a user who has a password." }),
  ),
  password: NewPassword,
});
export type PasswordUpdate = Static<typeof PasswordUpdate>;

export const TotpSetUp = Type.Object(
  {
    object: Type.Literal("totp"),
    secret: Type.String({ description: "For typing it in, in Base32." }),
    uri: Type.String({ description: "For a QR code that the app reads (`otpauth://`)." }),
    picture: Type.String({ description: "That QR code, as an SVG picture." }),
  },
  { title: "TotpSetUp" },
);
export const TotpConfirm = strict({ code: Code("What the app shows.") });
export const RecoveryCodes = Type.Object(
  {
    object: Type.Literal("recovery_codes"),
    codes: Type.Array(Type.String(), {
      description: "Ten codes for who has lost the device, each good for signing in once. They are not shown again.",
    }),
  },
  { title: "RecoveryCodes" },
);
export const TotpRemove = strict({
  code: Type.Optional(Code("What the app shows, or a recovery code.")),
  password: Type.Optional(
    Type.String({ minLength: 1, maxLength: PASSWORD_LENGTH.max, description: "In place of a code." }),
  ),
});
export type TotpRemove = Static<typeof TotpRemove>;
