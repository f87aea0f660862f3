import type { FastifyBaseLogger } from "fastify";
import { type Mail, onOneLine } from "../../core/mail.ts";
import { invitationLink } from "../../core/users/invitation-link.ts";
import type { Invitation } from "../../request.ts";

/** What somebody is written who is invited. The token stands in the link only. */
const invitationMail = ({ email, first_name, expires_at }: Invitation, link: string): Mail => ({
  to: [email],
  subject: "Your invitation to Laurel",
  text: [
    // Without line breaks: a name must not add a paragraph of its own, with a link of its own.
    `${`Hello ${onOneLine(first_name)}`.trimEnd()},`,
    "",
    "you have been invited to Laurel, which runs the promotions and loyalty programs of your shop. Choose a password here:",
    "",
    link,
    "",
    `The link works once, until ${expires_at.slice(0, 10)}. Whoever has it can accept the invitation: do not pass it on.`,
    "If you did not expect this, you need not do anything.",
  ].join("\n"),
});

const resetMail = ({ email, first_name, expires_at }: Invitation, link: string): Mail => ({
  to: [email],
  subject: "Choose a new password for Laurel",
  text: [
    `${`Hello ${onOneLine(first_name)}`.trimEnd()},`,
    "",
    "somebody, probably you, asked for a new password for Laurel. Choose it here:",
    "",
    link,
    "",
    `The link works once, until ${expires_at.slice(0, 16).replace("T", " ")} UTC. Whoever has it can choose your password: do not pass it on.`,
    "If it was not you, you need not do anything: your password stays as it is.",
  ].join("\n"),
});

const NOBODY_SENDS = {
  reset: "there is no mail server: `laurel user reset` prints a link for who forgot a password",
  invitation:
    "there is no mail server: `laurel user invite <login>` prints a link for who was invited, and the dashboard shows one to the owner who invites",
};

type Sending = {
  log: Pick<FastifyBaseLogger, "warn">;
  publicUrl: string;
  /** Null: there is no mail server. */
  sendMail: ((mail: Mail) => Promise<void>) | null;
};

/**
 * How an invitation reaches its user: by e-mail. Without a mail server somebody makes a link and hands it over. The log holds neither
 * the address nor the link: whoever reads it must not be able to take over an account.
 */
export const createSendInvitation =
  ({ log, publicUrl, sendMail }: Sending) =>
  async (invitation: Invitation): Promise<void> => {
    const { token, isReset } = invitation;
    if (sendMail) {
      const link = invitationLink(publicUrl, token);
      await sendMail((isReset ? resetMail : invitationMail)(invitation, link));
    } else log.warn(isReset ? NOBODY_SENDS.reset : NOBODY_SENDS.invitation);
  };
