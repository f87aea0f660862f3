import type { FastifyBaseLogger } from "fastify";
import type { Invitation } from "../../request.ts";

/** The page that an invitation leads to. Behind the `#` the token is sent to no server and stands in no log of one. */
export const invitationLink = (publicUrl: string, token: string): string => `${publicUrl}/invitation#token=${token}`;

/**
 * How an invitation reaches its user. There is no mail server yet, so the link is written to the log, its token with it:
 * whoever reads the log of a server without mail can accept the invitation, for seven days and once.
 */
export const createSendInvitation =
  ({ log, publicUrl }: { log: Pick<FastifyBaseLogger, "warn">; publicUrl: string }) =>
  async ({ email, token, expires_at }: Invitation): Promise<void> =>
    log.warn(
      { email, link: invitationLink(publicUrl, token), expires_at },
      "there is no mail server: give this link to the user",
    );
