import type { TextKey } from "../../text/text.ts";

// The words of the audit log. Beside its list, so that the page of an entry does not load the list.

export const ACTIONS: Record<string, TextKey> = {
  CREATED: "settings.acted.CREATED",
  UPDATED: "settings.acted.UPDATED",
  DELETED: "settings.acted.DELETED",
};

/** The log of this project, or of what belongs to none: projects, users and roles. The address says which. */
export const INSTALLATION = "installation";
