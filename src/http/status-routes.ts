import type { Static, TSchema } from "typebox";
import { type LoyaltyMove, type LoyaltyResource, STATUS_MACHINES } from "../core/loyalty/program/status.ts";
import type { WriteCtx } from "../ctx.ts";
import type { statusStore } from "../db/status-store.ts";
import { type ActivityList, listActivities } from "../events/activities.ts";
import { cursorList, type Route, read, write } from "./route.ts";
import { ActivityQuery, activityListOf } from "./schemas.ts";

type Operation = "create" | "get" | "update" | "delete" | LoyaltyMove | "activities";
type SpecPart = Partial<Pick<Route, "summary" | "description" | "bodyRequired" | "ok">>;
type StatusResource<Row extends { id: string }, S extends TSchema, B extends TSchema, U extends TSchema> = {
  resource: Exclude<LoyaltyResource, "member">;
  /** What summaries call it: "a card definition". */
  words: string;
  store: Pick<ReturnType<typeof statusStore<Row>>, "get" | "list">;
  view(row: Row): Static<S>;
  params: TSchema;
  query: TSchema;
  ok: { one: S; list: TSchema };
  body: { create: B; update: U };
  flow: {
    create(c: WriteCtx, sent: Static<B>): Promise<Static<S>>;
    update(c: WriteCtx, id: string, sent: Static<U>): Promise<Static<S>>;
    remove(c: WriteCtx, id: string): Promise<Static<S>>;
    move(c: WriteCtx, id: string, move: LoyaltyMove): Promise<Static<S>>;
  };
  /** The prefixes of the ids and of the cursors of its activities. */
  activities: Omit<ActivityList, "field">;
  /** What an operation says beside or instead of what all of them say. */
  specs?: Partial<Record<Operation, SpecPart>> & { get?: Pick<Route, "query"> };
};

const MOVES = {
  activate: (words: string) => `Activate ${words}`,
  deactivate: (words: string) => `Deactivate ${words}`,
  draft: (words: string) => `Make ${words} a draft again`,
};

/** The operations of a v2 resource with a life cycle, beside `statusStore`: its moves are those of its status machine. */
export function statusRoutes<Row extends { id: string }, S extends TSchema, B extends TSchema, U extends TSchema>(
  of: StatusResource<Row, S, B, U>,
): Route[] {
  const { resource, words, store, view, params, query, body, flow, specs = {} } = of;
  const { one: ok, list } = of.ok;
  const Name = resource.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
  const field = `${resource}_id`;
  const param = `${Name[0]!.toLowerCase()}${Name.slice(1)}Id`;
  const path = `/v2/loyalties/${resource.replace("_", "-")}s` as const;
  const item = `${path}/{${param}}` as const;
  const idIn = (c: { params: unknown }) => (c.params as Record<string, string>)[param]!;
  const moves = Object.keys(STATUS_MACHINES[resource].from) as LoyaltyMove[];
  return [
    read(
      `GET ${path}`,
      { id: `list${Name}s`, summary: `List ${words.replace(/^an? /, "")}s`, query, ok: list },
      async (c) => cursorList(await store.list(c.db, c, c.query as object), view),
    ),
    write(
      `POST ${path}`,
      { id: `create${Name}`, summary: `Create ${words}`, body: body.create, ok, ...specs.create },
      (c) => flow.create(c, c.body as Static<B>),
    ),
    read(`GET ${item}`, { id: `get${Name}`, summary: `Read ${words}`, params, ok, ...specs.get }, async (c) =>
      view(await store.get(c.db, c.project.id, idIn(c))),
    ),
    write(
      `PUT ${item}`,
      { id: `update${Name}`, summary: `Update ${words}`, params, body: body.update, ok, ...specs.update },
      (c) => flow.update(c, idIn(c), c.body as Static<U>),
    ),
    write(`DELETE ${item}`, { id: `delete${Name}`, summary: `Delete ${words}`, params, ok, ...specs.delete }, (c) =>
      flow.remove(c, idIn(c)),
    ),
    ...moves.map((move) =>
      write(
        `POST ${item}/${move}`,
        { id: `${move}${Name}`, summary: MOVES[move](words), params, ok, ...specs[move] },
        (c) => flow.move(c, idIn(c), move),
      ),
    ),
    read(
      `GET ${item}/activities`,
      {
        id: `list${Name}Activities`,
        summary: `List what happened to ${words}`,
        params,
        query: ActivityQuery,
        ok: activityListOf(field),
        ...specs.activities,
      },
      async (c) => {
        const { id } = await store.get(c.db, c.project.id, idIn(c));
        const page = await listActivities(c, { list: { ...of.activities, field }, of: id }, c.query);
        return cursorList(page, (activity) => activity);
      },
    ),
  ];
}
