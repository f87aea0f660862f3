import { Text } from "@mantine/core";
import { useText } from "../../text/text.ts";
import { differences } from "./differences.ts";
import classes from "./json.module.css";
import { printed } from "./json-block.tsx";

const shown = (value: unknown) => (value === undefined ? "–" : typeof value === "string" ? value : printed(value));

/** What changed, field by field: before and after side by side. */
export function DifferenceTable({ before, after }: { before: unknown; after: unknown }) {
  const t = useText();
  const rows = differences(before, after);
  if (rows.length === 0) return <Text c="dimmed">{t("kit.difference.none")}</Text>;
  return (
    <table className={classes.changes}>
      <thead>
        <tr>
          <th scope="col">{t("kit.difference.field")}</th>
          <th scope="col">{t("kit.difference.before")}</th>
          <th scope="col">{t("kit.difference.after")}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.path}>
            <td className="mono">{row.path}</td>
            <td className="mono">
              {row.before === undefined ? "–" : <del className={classes.before}>{shown(row.before)}</del>}
            </td>
            <td className="mono">
              {row.after === undefined ? "–" : <ins className={classes.after}>{shown(row.after)}</ins>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
