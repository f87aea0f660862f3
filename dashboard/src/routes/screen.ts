import type { ComponentType } from "react";
import type { Call } from "../api/op.ts";
import type { TextKey } from "../text/text.ts";
import type { IconName } from "../theme/icons.ts";

/** The part of the navigation that a page stands in, from top to bottom. */
export const GROUPS = ["promotions", "customers", "loyalty", "insight", "developers", "settings"] as const;
export type Group = (typeof GROUPS)[number];

/** A page, and what it asks for first: that is read while the pointer is on its link. */
type Page = ComponentType & { first?: Call };

export type Screen = {
  path: string;
  screen: () => Promise<{ default: Page }>;
  /** The id of the operation without which the page shows nothing; null: everybody may open it. */
  needs: string | null;
  title: TextKey;
  /** Where it stands in the navigation; null: it is reached from another page. Above all groups: `top`. */
  nav: { group: Group | "top"; icon: IconName } | null;
};
