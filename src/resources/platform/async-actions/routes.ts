import { read } from "../../../http/route.ts";
import { AsyncAction, AsyncActionList, AsyncActionQuery, ByAsyncAction } from "./schema.ts";
import { getAsyncAction, listAsyncActions, listedView, view } from "./store.ts";

export const asyncActionRoutes = [
  read(
    "GET /v1/async-actions",
    {
      id: "listAsyncActions",
      summary: "List asynchronous actions",
      description: "Newest first.",
      query: AsyncActionQuery,
      ok: AsyncActionList,
    },
    async (c) => {
      const { rows, has_more } = await listAsyncActions(c.db, c.project.id, c.query);
      const envelope = { object: "list", data_ref: "async_actions" } as const;
      return { ...envelope, async_actions: rows.map(listedView), has_more };
    },
  ),
  read(
    "GET /v1/async-actions/{asyncActionId}",
    {
      id: "getAsyncAction",
      summary: "Read an asynchronous action",
      params: ByAsyncAction,
      ok: AsyncAction,
    },
    async (c) => view(await getAsyncAction(c.db, c.project.id, c.params.asyncActionId), c.publicUrl),
  ),
];
