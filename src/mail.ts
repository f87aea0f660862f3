import type { Transporter } from "nodemailer";
import type { Mail } from "./core/mail.ts";

export type Mailer = (mail: Mail) => Promise<void>;

/** Nodemailer itself would wait for minutes for a server that does not answer. */
const LIMIT_MS = 10_000;

/** Sends mail through the server that a URL such as `smtps://user:password@mail.example` names. */
export function createMailer(url: string, from: string): Mailer {
  let transport: Promise<Transporter> | undefined;
  // Loaded with the first mail, so that a start does not pay for it.
  const load = async (): Promise<Transporter> => {
    const { createTransport } = await import("nodemailer");
    const limits = { connectionTimeout: LIMIT_MS, greetingTimeout: LIMIT_MS, socketTimeout: LIMIT_MS };
    return createTransport({ url, ...limits });
  };
  return async ({ to, subject, text }) => {
    // A failure is not kept: the next mail tries again.
    transport ??= load().catch((error) => {
      transport = undefined;
      throw error;
    });
    try {
      await (await transport).sendMail({ from, to: [...to], subject, text });
    } catch (error) {
      throw withoutAddresses(error as Error, to);
    }
  };
}

/** A mail server names the address that it refuses; who logs the error must not log it. */
function withoutAddresses(error: Error, addresses: readonly string[]): Error {
  for (const address of addresses)
    for (const field of ["message", "stack"] as const)
      error[field] = error[field]?.replaceAll(new RegExp(RegExp.escape(address), "gi"), "…") ?? "";
  return error;
}
