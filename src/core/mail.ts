/** An e-mail, in plain text. */
export type Mail = { to: readonly string[]; subject: string; text: string };

/** A text that somebody sent, as it may stand in one line of a mail: nothing in it begins a line or turns its direction. */
export const onOneLine = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, " ").trim();
