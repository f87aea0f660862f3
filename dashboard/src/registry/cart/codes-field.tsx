import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { searchProject } from "../../api/operations.gen.ts";
import { useCan } from "../../api/session.ts";
import { useOp } from "../../api/use-op.ts";
import { TagsInput } from "../../kit/later/fields.ts";
import { useText } from "../../text/text.ts";
import classes from "./cart.module.css";

const TYPING_MS = 200;
const SHORTEST = 2;
const TYPES = "voucher,promotion_tier";

type Props = { codes: readonly string[]; onChange: (codes: string[]) => void };

/** Codes and offers. What somebody types is looked for; what is not found may be tried all the same. */
export function CodesField({ codes, onChange }: Props) {
  const t = useText();
  const can = useCan();
  const [typed, setTyped] = useState("");
  const [q] = useDebouncedValue(typed.trim(), TYPING_MS);
  const isAsked = q.length >= SHORTEST && can("searchProject");
  const { data } = useOp(searchProject, { q, types: TYPES }, { enabled: isAsked, keepOld: true });
  const found = new Map(isAsked ? (data?.results ?? []).map((one) => [one.id, one]) : []);
  return (
    <TagsInput
      label={t("simulator.codes")}
      description={t("simulator.codesHelp")}
      value={[...codes]}
      onChange={onChange}
      searchValue={typed}
      onSearchChange={setTyped}
      data={[...found.keys()]}
      filter={({ options }) => options}
      renderOption={({ option: { value } }) => (
        <span>
          {found.get(value)?.title ?? value} <span className={classes.dimmed}>{found.get(value)?.detail}</span>
        </span>
      )}
      clearable
    />
  );
}
