/** An e-mail, in plain text. */
export type Mail = { to: readonly string[]; subject: string; text: string };
