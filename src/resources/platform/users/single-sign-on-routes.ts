import type { WriteCtx } from "../../../ctx.ts";
import {
  askProvider,
  confirmSignOn,
  finishSignOn,
  requireIdentity,
  requireOwnPassword,
  requireProof,
  startSignOn,
  unlinkIdentities,
} from "../../../flows/platform/single-sign-on.ts";
import { type Route, read, write } from "../../../http/route.ts";
import { Empty } from "../../../http/schemas.ts";
import { hashToken } from "../../../http/users/session.ts";
import { STRANGER_BYTES_MAX } from "./schema.ts";
import type { UserSession } from "./session-schema.ts";
import {
  SignOn,
  SignOnConfirm,
  SignOnFinish,
  SignOnOffer,
  SignOnStart,
  SignOnStarted,
  SignOnUnlink,
} from "./single-sign-on-schema.ts";

const SIGN_ON = "/management/v1/single-sign-on";
/** The answer of a provider may be longer than what strangers send otherwise. */
const FINISH_BYTES_MAX = 16_384;

type Opened = NonNullable<Awaited<ReturnType<typeof finishSignOn>>["opened"]>;
/** Gives the browser a session, as signing in with a password does. */
type Begin = (c: WriteCtx, token: string, opened: Opened) => Promise<UserSession>;

export function singleSignOnRoutes({ begin }: { begin: Begin }): Route[] {
  return [
    read(
      `GET ${SIGN_ON}`,
      {
        id: "getSingleSignOn",
        summary: "Read whether there is single sign-on",
        description:
          "For the sign-in page: whether people can sign in with another provider (OpenID Connect), and its name; and whether a link for who forgot a password can be mailed.",
        ok: SignOnOffer,
      },
      async ({ singleSignOn, sendsMail = false }) => ({
        object: "single_sign_on_offer" as const,
        is_enabled: singleSignOn !== undefined,
        name: singleSignOn?.name ?? null,
        sends_mail: sendsMail,
      }),
    ),
    write(
      `POST ${SIGN_ON}/start`,
      {
        id: "startSingleSignOn",
        summary: "Begin to sign in with the provider",
        description:
          "Answers the address of the provider that the browser goes to, and sets a cookie: what comes back counts in this browser only, once, for ten minutes. The provider sends the browser back to `/sign-in/callback`.",
        body: SignOnStart,
        bodyLimitBytes: STRANGER_BYTES_MAX,
        ok: SignOnStarted,
        secret: true,
        before: (c) => askProvider(c),
      },
      async (c) => startSignOn(c, c.checked, c.body.return_to),
    ),
    write(
      `POST ${SIGN_ON}/finish`,
      {
        id: "finishSingleSignOn",
        summary: "Sign in with what the provider answered",
        description:
          "Begins a session for who is linked with the account, or was invited to its verified address, or has an address of a domain that is listed. A password account is linked only once its password was sent: then the status is `PASSWORD_REQUIRED`.",
        body: SignOnFinish,
        bodyLimitBytes: FINISH_BYTES_MAX,
        ok: SignOn,
        secret: true,
        before: (c) => requireIdentity(c, c.body.query),
      },
      async (c) => {
        const token = c.newSecret();
        const { opened, ...rest } = await finishSignOn(c, c.checked, hashToken(token));
        return { object: "single_sign_on" as const, ...rest, session: opened && (await begin(c, token, opened)) };
      },
    ),
    write(
      `POST ${SIGN_ON}/confirm`,
      {
        id: "confirmSingleSignOn",
        summary: "Show the password or the code of the account",
        description:
          "After `finish` said that it needs one of them. With the right password the account of the provider is linked for good.",
        body: SignOnConfirm,
        bodyRequired: true,
        bodyLimitBytes: STRANGER_BYTES_MAX,
        ok: SignOn,
        secret: true,
        findsPasswords: true,
        before: (c) => requireProof(c, c.body),
      },
      async (c) => {
        const token = c.newSecret();
        const { code } = c.body;
        const { opened, ...rest } = await confirmSignOn(c, c.checked, { code, token_hash: hashToken(token) });
        return { object: "single_sign_on" as const, ...rest, session: await begin(c, token, opened) };
      },
    ),
  ];
}

/** The link of who is signed in. */
export const ownIdentityRoutes = [
  write(
    "DELETE /management/v1/session/identity",
    {
      id: "unlinkSingleSignOn",
      summary: "End the link with the provider",
      description:
        "The account of the provider signs this user in no more. With the password of the user, who needs one: else nobody could sign in. All other sessions of the user end.",
      body: SignOnUnlink,
      bodyRequired: true,
      bodyLimitBytes: STRANGER_BYTES_MAX,
      ok: Empty,
      findsPasswords: true,
      before: (c) => requireOwnPassword(c, c.body.password),
    },
    async (c) => unlinkIdentities(c, c.checked),
  ),
];
