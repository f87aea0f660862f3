import { type Config, ConfigError } from "../config.ts";
import { loadPersonalData } from "../resources/customers/customers/personal-data-store.ts";
import { findCustomer } from "../resources/customers/customers/store.ts";
import { listProjects } from "../resources/platform/projects/store.ts";
import { withDatabase } from "./database.ts";

/** Prints everything that is stored of a customer, as JSON: for somebody who asks which of their data there is. */
export async function exportCommand(config: Config, { id, project }: { id: string; project?: string }): Promise<void> {
  await withDatabase(config, async (db) => {
    const projects = (await listProjects(db)).filter((one) => project === undefined || one.id === project);
    const found = await Promise.all(projects.map((one) => findCustomer(db, one.id, id)));
    const [customer, other] = found.filter((row) => row !== null);
    if (!customer) throw new ConfigError(`There is no customer ${id}${project === undefined ? "" : ` in ${project}`}.`);
    if (other) throw new ConfigError(`Several projects have a customer ${id}: say which with --project.`);
    const data = await loadPersonalData(db, customer);
    console.log(JSON.stringify({ customer_id: customer.id, project_id: customer.project_id, ...data }, null, 2));
  });
}
