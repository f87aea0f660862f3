import type { Customer } from "../../api/operations.gen.ts";

/** What somebody is called: by name, else by what else is known of them. */
export const nameOf = ({ name, email, source_id, id }: Pick<Customer, "id" | "name" | "email" | "source_id">): string =>
  name ?? email ?? source_id ?? id;
