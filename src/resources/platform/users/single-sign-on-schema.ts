import { type Static, Type } from "typebox";
import { PAGE_PATH } from "../../../core/users/single-sign-on.ts";
import { Choice, DateTime, Nullable, strict } from "../../../http/schemas.ts";
import { PASSWORD_LENGTH } from "./schema.ts";
import { UserSession } from "./session-schema.ts";

const PATH_MAX = 2000;
/** What a provider puts into an address: some have codes of two thousand characters. */
const QUERY_MAX = 8000;

export const SignOnOffer = Type.Object(
  {
    object: Type.Literal("single_sign_on_offer"),
    is_enabled: Type.Boolean(),
    name: Nullable(Type.String({ description: "What the provider is called; null when there is none." })),
    sends_mail: Type.Boolean({
      description:
        "Whether the server has a mail server. Without one it sends no link to who forgot a password, nor to who is invited.",
    }),
  },
  { title: "SingleSignOnOffer" },
);

export const SignOnStart = strict({
  return_to: Type.Optional(
    Type.String({
      pattern: PAGE_PATH,
      maxLength: PATH_MAX,
      description: "The page to open then: a path of this server. `/` unless it is sent.",
    }),
  ),
});
export const SignOnStarted = Type.Object(
  {
    object: Type.Literal("single_sign_on_start"),
    url: Type.String({ description: "Where the browser goes." }),
    expires_at: DateTime,
  },
  { title: "SingleSignOnStarted" },
);

export const SignOnFinish = strict({
  query: Type.String({
    minLength: 1,
    maxLength: QUERY_MAX,
    description: "What the provider put behind the `?` of the address that it sent the browser back to.",
  }),
});
export const SignOnConfirm = strict({
  password: Type.Optional(
    Type.String({ minLength: 1, maxLength: PASSWORD_LENGTH.max, description: "Of the account with that address." }),
  ),
  code: Type.Optional(
    Type.String({ minLength: 1, maxLength: 40, description: "What the authenticator app shows, or a recovery code." }),
  ),
});
/** Whoever found a browser that is signed in cannot take the way in from its user. */
export const SignOnUnlink = strict({
  password: Type.String({ minLength: 1, maxLength: PASSWORD_LENGTH.max, description: "Of who is signed in." }),
});
export type SignOnConfirm = Static<typeof SignOnConfirm>;

export const SignOn = Type.Object(
  {
    object: Type.Literal("single_sign_on"),
    status: Choice(["SIGNED_IN", "PASSWORD_REQUIRED", "CODE_REQUIRED"], {
      description:
        "`PASSWORD_REQUIRED`: an account with a password has this address; send the password once, and they are linked. `CODE_REQUIRED`: the account has a second factor.",
    }),
    email: Nullable(Type.String({ description: "What the provider tells." })),
    return_to: Type.String({ description: "The page to open." }),
    session: Nullable(UserSession),
  },
  { title: "SingleSignOn" },
);
