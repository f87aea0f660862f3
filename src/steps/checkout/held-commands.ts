import { foldCode } from "../../core/codes/code.ts";
import type { Tx } from "../../db/db.ts";
import type { Project } from "../../request.ts";
import { heldSessions } from "../../resources/checkout/sessions/store.ts";
import { heldCustomers } from "../../resources/customers/customers/store.ts";
import { heldOrders } from "../../resources/orders/orders/store.ts";
import { heldVouchers } from "../../resources/promotions/vouchers/store.ts";

type Command = { project: Pick<Project, "id" | "case_sensitive_codes"> };
/** The names of what a command locks. Of one that names something else, too, not everything is known. */
export type Needs = {
  sessions: readonly string[];
  customers: readonly string[];
  orders: readonly string[];
  codes: readonly string[];
};

/** The commands that need a session, a customer, an order or a code that another transaction holds. */
export async function heldCommands<C extends Command>(
  tx: Tx,
  commands: readonly C[],
  needsOf: (command: C) => Needs,
): Promise<Map<C, "overloaded">> {
  const { project } = commands[0]!;
  const needs = new Map(commands.map((command) => [command, needsOf(command)]));
  const all = (kind: keyof Needs) => [...new Set([...needs.values()].flatMap((one) => one[kind]))];
  const asked = { sessions: all("sessions"), customers: all("customers"), orders: all("orders"), codes: all("codes") };
  const held: Record<keyof Needs, ReadonlySet<string>> = {
    sessions: await heldSessions(tx, project.id, asked.sessions),
    customers: await heldCustomers(tx, project.id, asked.customers),
    orders: await heldOrders(tx, project.id, asked.orders),
    codes: await heldVouchers(tx, project, asked.codes),
  };
  const folded = (code: string) => foldCode(code, project.case_sensitive_codes);
  const waits = ({ codes, ...names }: Needs) =>
    codes.some((code) => held.codes.has(code) || held.codes.has(folded(code))) ||
    (["sessions", "customers", "orders"] as const).some((kind) => names[kind].some((name) => held[kind].has(name)));
  return new Map(commands.filter((command) => waits(needs.get(command)!)).map((one) => [one, "overloaded"]));
}
