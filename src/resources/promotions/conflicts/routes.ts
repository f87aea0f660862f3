import { listConflicts } from "../../../flows/promotions/list-conflicts.ts";
import { read } from "../../../http/route.ts";
import { ConflictList } from "./schema.ts";

export const conflictRoutes = [
  read(
    "GET /v1/conflicts",
    {
      id: "listConflicts",
      summary: "Find campaigns that overlap, exclude each other, or never apply",
      description:
        "Of the promotions and codes that are active or will be: which are for the same products at one time, which the stacking " +
        "rules do not let apply together, and which cannot apply at all any more.",
      ok: ConflictList,
    },
    (c) => listConflicts(c),
  ),
];
