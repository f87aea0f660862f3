import { read } from "../../../http/route.ts";
import { ByRefusal, RefusalList, RefusalQuery, RefusalRead, RefusalSummary, RefusalSummaryQuery } from "./schema.ts";
import { getRefusal, listRefusals, summarizeRefusals } from "./store.ts";

export const refusalRoutes = [
  read(
    "GET /v1/refusals",
    {
      id: "listRefusals",
      summary: "List refusals",
      description:
        "Validations and redemptions of the last 30 days that were refused, or of which a redeemable was, the newest first. One is found here a second after its answer. At most 1,000 a minute and 1 GB are kept of a project; all are counted.",
      query: RefusalQuery,
      ok: RefusalList,
    },
    async (c) => listRefusals(c.db, c.project, { ...c.query, now: c.now }),
  ),
  read(
    "GET /v1/refusals/summary",
    {
      id: "getRefusalSummary",
      summary: "Count refusals by reason",
      description:
        "How many redeemables were refused, by reason, in whole hours; of the last 30 days unless told. All are counted, those that were not kept too.",
      query: RefusalSummaryQuery,
      ok: RefusalSummary,
    },
    async (c) => summarizeRefusals(c.db, c.project.id, { ...c.query, now: c.now }),
  ),
  read(
    "GET /v1/refusals/{refusalId}",
    {
      id: "getRefusal",
      summary: "Read a refusal",
      description:
        "With the request, the answer and the trace. Secrets, e-mail addresses and phone numbers are masked, and long bodies are cut.",
      params: ByRefusal,
      ok: RefusalRead,
    },
    async (c) => getRefusal(c.db, c.project.id, c.params.refusalId),
  ),
];
