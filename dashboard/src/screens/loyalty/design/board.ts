import type { ReactNode } from "react";
import type { TextKey } from "../../../text/text.ts";
import type { Kind, Link, Part } from "./parts.ts";

/** What a flow and a list are given. */
export type Board = {
  parts: readonly Part[];
  links: readonly Link[];
  /** Opens the form of a part. Without it the parts are only shown. */
  onOpen?: (part: Part) => void;
  /** The button that adds a part of a kind, where one may. */
  addOf?: (kind: Kind) => ReactNode;
};

export const TITLES: Record<Kind, { title: TextKey; help: TextKey }> = {
  rule: { title: "loyalty.earning", help: "loyalty.earningHelp" },
  wallet: { title: "loyalty.wallets", help: "loyalty.walletsHelp" },
  tier: { title: "loyalty.tiers", help: "loyalty.tiersHelp" },
  reward: { title: "loyalty.rewards", help: "loyalty.rewardsHelp" },
};
