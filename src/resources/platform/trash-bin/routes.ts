import { purgeBinEntry } from "../../../flows/platform/bin.ts";
import { read, write } from "../../../http/route.ts";
import { Empty } from "../../../http/schemas.ts";
import { BinList, BinQuery, ByBinEntry } from "./schema.ts";
import { listBinEntries } from "./store.ts";

export const trashBinRoutes = [
  read(
    "GET /v1/trash-bin",
    { id: "listBinEntries", summary: "List what is in the bin", query: BinQuery, ok: BinList },
    async (c) => listBinEntries(c.db, c.project.id, { ...c.query, now: c.now }),
  ),
  write(
    "DELETE /v1/trash-bin/{binEntryId}",
    {
      id: "purgeBinEntry",
      summary: "Delete for good what is in the bin",
      description: "What went into the bin along with it is deleted too.",
      params: ByBinEntry,
      ok: Empty,
    },
    async (c) => purgeBinEntry(c, c.params.binEntryId),
  ),
];
