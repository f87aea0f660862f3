/** The page that an invitation leads to. Behind the `#` the token is sent to no server and stands in no log of one. */
export const invitationLink = (publicUrl: string, token: string): string => `${publicUrl}/invitation#token=${token}`;
