import type { TextKey } from "../../text/text.ts";

export const ACTIONS: Record<string, TextKey> = {
  CREATED: "settings.acted.CREATED",
  UPDATED: "settings.acted.UPDATED",
  DELETED: "settings.acted.DELETED",
};

/** The log of this project, or of what belongs to none: projects, users and roles. The address says which. */
export const INSTALLATION = "installation";
