import type { TextKey } from "../../text/text.ts";

// The words of the audit log. Beside its list, so that the page of an entry does not load the list.

export const ACTIONS: Record<string, TextKey> = {
  CREATED: "settings.acted.CREATED",
  UPDATED: "settings.acted.UPDATED",
  DELETED: "settings.acted.DELETED",
};
export const ACTORS: Record<string, TextKey> = {
  user: "settings.actors.user",
  server_key: "settings.actors.server_key",
  client_key: "settings.actors.client_key",
  management_key: "settings.actors.management_key",
  cli: "settings.actors.cli",
  engine: "settings.actors.engine",
};
