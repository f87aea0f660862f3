import type { TextKey } from "../../text/text.ts";

export const TYPES: Record<string, TextKey> = {
  "auto-update": "segments.types.auto",
  static: "segments.types.static",
  passive: "segments.types.passive",
};
