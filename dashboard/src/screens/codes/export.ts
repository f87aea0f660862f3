import { createExport, getExport } from "../../api/operations.gen.ts";
import { send } from "../../api/send.ts";
import { notifyDone, notifyFailed } from "../../kit/undo/undo.tsx";
import type { Text } from "../../text/text.ts";

const EVERY_MS = 700;
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Has the server write all codes, or those of a campaign, to a file, and opens it when it is ready. */
export async function exportCodes(campaign: string | null, t: Text): Promise<void> {
  const filters = campaign ? { filters: { campaign_ids: { conditions: { $is: [campaign] } } } } : {};
  notifyDone(t("codes.exporting"));
  try {
    let made = await send(createExport, {}, { body: { exported_object: "voucher", parameters: filters } as never });
    while (made.status === "SCHEDULED" || made.status === "IN_PROGRESS") {
      await wait(EVERY_MS);
      made = await send(getExport, { exportId: made.id });
    }
    if (!made.result) throw new Error(made.error?.message ?? made.status);
    // The address has a token of its own; its host may be the one that other people reach.
    const { pathname, search } = new URL(made.result.url, location.origin);
    Object.assign(document.createElement("a"), { href: pathname + search, download: "codes.csv" }).click();
  } catch (error) {
    notifyFailed(error);
  }
}
