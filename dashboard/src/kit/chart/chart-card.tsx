import { ActionIcon, VisuallyHidden } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useText } from "../../text/text.ts";
import { cell, download, withUnit } from "../list/csv.ts";
import { Section } from "../page/section.tsx";
import { Failure, LoadingRows } from "../states/states.tsx";
import classes from "./chart.module.css";

/** Each row as it is read, and then as it stands in a file: a moment and a number, whose unit is named above it. */
type Table = {
  head: readonly [string, string];
  unit?: string | undefined;
  rows: readonly (readonly [day: string, value: string, at: string, amount: number | null])[];
};
type Props<T> = {
  title: string;
  of: Pick<UseQueryResult<T, Error>, "data" | "error" | "refetch">;
  /** What the chart shows, as a sentence. */
  says: (data: T) => string;
  /** The same as a table, for screen readers and as a file. */
  table: (data: T) => Table;
  children: (data: T) => ReactNode;
};

/** A chart with its name and its sentence. It fails alone: the rest of the page stays. */
export function ChartCard<T>({ title, of: { data, error, refetch }, says, table, children }: Props<T>) {
  const t = useText();
  if (data === undefined)
    return (
      <Section title={title}>
        {error ? <Failure error={error} retry={() => void refetch()} /> : <LoadingRows rows={4} />}
      </Section>
    );
  const { head, rows, unit } = table(data);
  const save = () => {
    const lines = [[head[0], withUnit(head[1], unit)], ...rows.map(([, , at, amount]) => [at, amount])];
    download(`${title}.csv`, lines.map((line) => line.map(cell).join(",")).join("\r\n"));
  };
  const button = (
    <ActionIcon title={t("kit.list.exportHelp")} onClick={save} aria-label={`${t("kit.list.exportHelp")}: ${title}`}>
      <IconDownload size={18} stroke={1.75} />
    </ActionIcon>
  );
  return (
    <Section title={title} actions={button}>
      <p className={classes.says}>{says(data)}</p>
      {children(data)}
      <VisuallyHidden>
        <table>
          <caption>{title}</caption>
          <thead>
            <tr>
              <th scope="col">{head[0]}</th>
              <th scope="col">{head[1]}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(([name, value]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{value}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </Section>
  );
}
