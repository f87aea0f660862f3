import { VisuallyHidden } from "@mantine/core";
import { IconCheck, IconMinus } from "@tabler/icons-react";
import type { Category, StackingRules } from "../../api/operations.gen.ts";
import { useText } from "../../text/text.ts";
import { combine } from "./combine.ts";
import classes from "./stacking.module.css";

type Named = { id: string | null; name: string };

/** Each category against each: whether one offer of both may apply to the same order. */
export function Matrix({ categories, rules }: { categories: readonly Category[]; rules: StackingRules }) {
  const t = useText();
  const all: Named[] = [...categories, { id: null, name: t("stacking.none") }];
  return (
    <>
      {/* biome-ignore lint/a11y: it scrolls, so it must be reached by keyboard. */}
      <div className={classes.scroll} tabIndex={0} role="group" aria-label={t("stacking.matrix")}>
        <table className={classes.matrix}>
          <thead>
            <tr>
              <td />
              {all.map(({ id, name }) => (
                <th key={id} scope="col">
                  <span>{name}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {all.map((row) => (
              <tr key={row.id}>
                <th scope="row">{row.name}</th>
                {all.map((column) => {
                  const verdict = combine(row.id, column.id, rules);
                  const says = t(`stacking.verdict.${verdict}`);
                  const Icon = verdict === "together" ? IconCheck : IconMinus;
                  return (
                    <td key={column.id} className={verdict === "together" ? classes.together : classes.apart}>
                      <span title={`${row.name} + ${column.name}: ${says}`}>
                        <Icon size={16} aria-hidden />
                        <VisuallyHidden>{says}</VisuallyHidden>
                      </span>
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className={classes.legend}>{t("stacking.legend", { count: rules.applicable_redeemables_limit })}</p>
    </>
  );
}
