import type { TextKey } from "../../text/text.ts";

export const TYPES: Record<string, TextKey> = {
  AUTO_UPDATE: "collections.types.AUTO_UPDATE",
  STATIC: "collections.types.STATIC",
};
