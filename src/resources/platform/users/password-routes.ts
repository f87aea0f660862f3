import { acceptReset, askForPassword } from "../../../flows/platform/invite-user.ts";
import { changePassword, requireCurrent } from "../../../flows/platform/sign-in.ts";
import { write } from "../../../http/route.ts";
import { Empty } from "../../../http/schemas.ts";
import { STRANGER_BYTES_MAX } from "./schema.ts";
import { PasswordReset, PasswordResetAccept, PasswordResetAsked, PasswordUpdate } from "./session-schema.ts";

export const passwordRoutes = [
  write(
    "POST /management/v1/password-reset",
    {
      id: "askPasswordReset",
      summary: "Ask for a new password",
      description:
        "Sends the user a link that works once, for an hour. The answer is the same whether there is such a user or not. Without a mail server nothing is sent: `laurel user reset` prints a link.",
      body: PasswordReset,
      bodyLimitBytes: STRANGER_BYTES_MAX,
      ok: PasswordResetAsked,
      status: 202,
    },
    async (c) => askForPassword(c, c.body.email),
  ),
  write(
    "POST /management/v1/password-reset/accept",
    {
      id: "acceptPasswordReset",
      summary: "Choose a new password",
      description: "With the token of the link, which works once. All sessions of the user end.",
      body: PasswordResetAccept,
      bodyLimitBytes: STRANGER_BYTES_MAX,
      ok: Empty,
    },
    async (c) => acceptReset(c, c.body),
  ),
  write(
    "PUT /management/v1/session/password",
    {
      id: "updateOwnPassword",
      summary: "Change the own password",
      description: "Takes the current one, from users who have one. All other sessions of the user end.",
      body: PasswordUpdate,
      bodyLimitBytes: STRANGER_BYTES_MAX,
      ok: Empty,
      findsPasswords: true,
      before: (c) => requireCurrent(c, c.body),
    },
    async (c) => changePassword(c, c.checked),
  ),
];
