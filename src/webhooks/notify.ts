import { type Mail, onOneLine } from "../core/mail.ts";
import type { Db } from "../db/db.ts";
import { getProject } from "../resources/platform/projects/store.ts";

/** A webhook that was switched off. */
export type OffWebhook = { project_id: string; id: string; target_url: string };

/** What those are told who want to know that a webhook was switched off; null: nobody does. */
export async function deactivationMail(db: Db, { project_id, id, target_url }: OffWebhook): Promise<Mail | null> {
  const { name: sent, webhooks_callout_notifications } = await getProject(db, project_id);
  const name = onOneLine(sent);
  const { email, emails } = webhooks_callout_notifications.webhooks;
  if (!email || emails.length === 0) return null;
  return {
    to: emails,
    subject: `A webhook of ${name} was switched off`,
    text: [
      `The webhook ${id} of the project ${name} (${project_id}) was switched off: ${target_url} has not taken a delivery`,
      "for 24 hours, in 13 attempts.",
      "",
      "What waits for it is kept for 30 days, and sent when the webhook is switched on again.",
    ].join("\n"),
  };
}
