import * as loyalty from "./interface/loyalty.ts";
import * as members from "./interface/members.ts";
import * as platform from "./interface/platform.ts";
import * as promotions from "./interface/promotions.ts";
import type { Row } from "./interface/row.ts";

export type { Row } from "./interface/row.ts";

/** Every row of the interface. */
export const INTERFACE: readonly Row[] = [platform, promotions, loyalty, members].flatMap((part) =>
  Object.values(part).flat(),
);
