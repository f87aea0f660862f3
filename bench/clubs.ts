import { loadSetup } from "../src/catalog/program-setup.ts";
import type { Pool } from "../src/db/db.ts";
import { createKey } from "../src/flows/platform/create-project.ts";
import { lockCustomers } from "../src/resources/customers/customers/store.ts";
import { getProject } from "../src/resources/platform/projects/store.ts";
import { newId, newSecret, now, random } from "../src/sources.ts";
import { enrol } from "../src/steps/programs/enrolment.ts";
import type { BenchProject, Lab, Server } from "./lab.ts";
import { freshKeys } from "./load.ts";
import { numbers } from "./shop.ts";

const V2 = "/v2/loyalties";
const MEMBERS_AT_ONCE = 2000;
/** What a visit earns. */
export const POINTS = 10;

const sourceOf = (n: number): string => `member-${n}`;

/** A program whose points last for a year, with so many members, each with one card, and points for a visit. */
export async function makeClub(lab: Lab, server: Server, count: number): Promise<BenchProject> {
  const project = await lab.createProject("Club");
  const made = <R = { id: string }>(request: string, body: object, who: BenchProject = project) =>
    server.call<R>(who, request, body);
  const visit = await made(`POST /management/v1/projects/${project.id}/custom-event-schemas`, VISIT, {
    ...project,
    headers: await managementHeaders(lab.db),
  });
  const wallet = await made(`POST ${V2}/card-definitions`, {
    name: "Points",
    type: "INDIVIDUAL",
    status: "ACTIVE",
    points_expiration: { type: "ROLLING_EXPIRATION", rolling_expiration: { period: { value: 1, unit: "YEAR" } } },
  });
  const rule = await made(`POST ${V2}/earning-rules`, {
    name: "Visits",
    status: "ACTIVE",
    trigger: { event: "customer.custom_event", custom_event: { schema_id: visit.id } },
    earnings: [{ effects: [{ points: { value: POINTS, card_definition_id: wallet.id } }] }],
  });
  const program = await made(`POST ${V2}/programs`, {
    name: "Club",
    status: "ACTIVE",
    card_definitions: [{ id: wallet.id }],
    earning_rules: [{ id: rule.id }],
  });
  for (let at = 0; at < count; at += MEMBERS_AT_ONCE)
    await addMembers(
      lab.db,
      { projectId: project.id, programId: program.id },
      { at, until: at + MEMBERS_AT_ONCE, count },
    );
  await lab.settle();
  return project;
}
const VISIT = { name: "visit", schema: { properties: {} } };

async function managementHeaders(db: Pool): Promise<Record<string, string>> {
  const key = { kind: "management", project_id: null, name: "bench" } as const;
  const { id, secret } = await db.begin((tx) => createKey(tx, { newSecret, now: now() }, key));
  return { "X-Management-Id": id, "X-Management-Token": secret };
}

type Where = { projectId: string; programId: string };

async function addMembers(db: Pool, { projectId, programId }: Where, of: { at: number; until: number; count: number }) {
  const rows = numbers(Math.min(of.until, of.count) - of.at).map((n) => ({
    id: newId("cust"),
    source_id: sourceOf(of.at + n),
  }));
  const ids = rows.map(({ id }) => id);
  await db.begin(async (tx) => {
    await tx`
      insert into customers (project_id, id, source_id, created_at)
      select ${projectId}, id, source_id, ${now()}
      from unnest(${ids}::text[], ${rows.map(({ source_id }) => source_id)}::text[]) as x (id, source_id)`;
    const setup = (await loadSetup(tx, projectId, programId))!;
    const customers = await lockCustomers(tx, projectId, { ids });
    const joining = customers.map((customer) => ({ customer, status: "ACTIVE" as const, metadata: {} }));
    await enrol({ db: tx, project: await getProject(tx, projectId), now: now(), newId, random }, setup, joining);
  });
}

export const visitOf = (n: number) => ({ event: "visit", customer: { source_id: sourceOf(n) } });

/** Visits of the members by turns. */
export const visitRequests = (
  server: Server,
  project: BenchProject,
  count: number,
  path = "/v1/events",
): (() => Buffer) => freshKeys((key) => numbers(count).map((n) => server.request(project, path, visitOf(n), key)));
