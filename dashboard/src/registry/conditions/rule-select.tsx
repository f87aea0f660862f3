import type { ReactNode } from "react";
import { listValidationRules } from "../../api/operations.gen.ts";
import { useOp } from "../../api/use-op.ts";
import { useOps } from "../../api/use-ops.ts";
import { Select } from "../../kit/later/fields.ts";

type Props = {
  label: string;
  description?: string;
  /** Rules that are not offered. */
  without?: readonly string[];
  value: string | null;
  onChange: (id: string | null) => void;
  error?: ReactNode;
};
const ALL = { limit: 100, order: "name" as const };

/** Chooses a rule. The server does not look for rules by their names, so all of them are read. */
export function RuleSelect({ without = [], ...rest }: Props) {
  const first = useOp(listValidationRules, ALL);
  const pages = Math.ceil((first.data?.total ?? 0) / ALL.limit);
  const others = useOps(
    listValidationRules,
    Array.from({ length: Math.max(0, pages - 1) }, (_, place) => ({ ...ALL, page: place + 2 })),
  );
  const rules = [first.data, ...(others.data ?? [])].flatMap((page) => page?.data ?? []);
  return (
    <Select
      {...rest}
      searchable
      clearable
      data={rules.filter(({ id }) => !without.includes(id)).map(({ id, name }) => ({ value: id, label: name }))}
    />
  );
}
