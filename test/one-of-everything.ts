import assert from "node:assert/strict";
import { ALL_ROUTES } from "../src/routes.ts";
import type { Call, TestProject } from "./support.ts";

type Made = Record<string, string>;
type Maker = (call: Call, project: TestProject, made: Made) => Promise<string>;

/** Stands in every text of what is made, so that it can be looked for where it must not be. */
export const MARKER = "of-project-a";

const create = async (call: Call, request: string, body: object) => {
  const reply = await call(request, body);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
};
const inProject = ({ id }: TestProject, path: string) => `POST /management/v1/projects/${id}/${path}`;

/** How to make one, for each name of a parameter of a path. A new name needs a line here. */
const MAKERS: Record<string, Maker> = {
  projectId: async (_, { id }) => id,
  categoryId: async (call) =>
    (await create(call, "POST /v1/categories", { name: `category ${MARKER}`, hierarchy: 1 })).id,
  customEventSchemaId: async (call, project) => {
    const properties = { [`colour ${MARKER}`]: { type: "string", optional: true } };
    const body = { name: `event ${MARKER}`, schema: { properties } };
    return (await create(call, inProject(project, "custom-event-schemas"), body)).id;
  },
  metadataSchemaId: async (call, project) => {
    const properties = { [`size ${MARKER}`]: { type: "number", optional: true, array: false } };
    return (await create(call, inProject(project, "metadata-schemas"), { related_object: "voucher", properties })).id;
  },
  resource: async () => "voucher",
  stackingRulesId: async (call, project, { categoryId }) =>
    (await create(call, inProject(project, "stacking-rules"), { exclusive_categories: [categoryId] })).id,
};

export const parametersOf = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);

/** One of everything that a path can name, by the name of the parameter. */
export async function makeOneOfEverything(call: Call, project: TestProject): Promise<Made> {
  const names = new Set(ALL_ROUTES.flatMap(({ path }) => parametersOf(path)));
  for (const name of names) assert.ok(MAKERS[name], `MAKERS says how to make one for {${name}}`);
  const made: Made = {};
  for (const [name, make] of Object.entries(MAKERS)) made[name] = await make(call, project, made);
  return made;
}
