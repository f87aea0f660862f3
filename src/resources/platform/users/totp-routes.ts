import {
  confirmSetUp,
  removeOwnTotp,
  requirePasswordIfSent,
  setUpTotp,
} from "../../../flows/platform/second-factor.ts";
import { drawPicture } from "../../../http/pictures/pictures.ts";
import { write } from "../../../http/route.ts";
import { Empty } from "../../../http/schemas.ts";
import { STRANGER_BYTES_MAX } from "./schema.ts";
import { RecoveryCodes, TotpConfirm, TotpRemove, TotpSetUp } from "./session-schema.ts";

const QR_PIXELS = 4;

export const totpRoutes = [
  write(
    "POST /management/v1/session/totp",
    {
      id: "setUpTotp",
      summary: "Set up a second factor",
      description:
        "Makes a secret for an authenticator app (TOTP). Signing in asks for no code until one was confirmed. The user needs a password.",
      ok: TotpSetUp,
      secret: true,
    },
    async (c) => {
      const made = await setUpTotp(c);
      const picture = await drawPicture("qr", made.uri, { size: QR_PIXELS, format: "svg" });
      return { ...made, picture: picture!.toString() };
    },
  ),
  write(
    "POST /management/v1/session/totp/confirm",
    {
      id: "confirmTotp",
      summary: "Confirm the second factor",
      description:
        "With a code that the app shows. The answer has ten recovery codes, which are shown once. All other sessions of the user end.",
      body: TotpConfirm,
      bodyLimitBytes: STRANGER_BYTES_MAX,
      ok: RecoveryCodes,
      secret: true,
    },
    async (c) => confirmSetUp(c, c.body.code),
  ),
  write(
    "DELETE /management/v1/session/totp",
    {
      id: "removeTotp",
      summary: "Remove the second factor",
      description: "With a code of the app, a recovery code, or the password.",
      body: TotpRemove,
      bodyRequired: true,
      bodyLimitBytes: STRANGER_BYTES_MAX,
      ok: Empty,
      findsPasswords: true,
      before: (c) => requirePasswordIfSent(c, c.body),
    },
    async (c) => removeOwnTotp(c, c.checked, c.body),
  ),
];
