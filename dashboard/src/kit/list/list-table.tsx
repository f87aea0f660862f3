import { Checkbox, UnstyledButton } from "@mantine/core";
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import { columnVisibilityFeature, rowSelectionFeature, tableFeatures, useTable } from "@tanstack/react-table";
import { useDeferredValue, useMemo } from "react";
import { useText } from "../../text/text.ts";
import type { Column, Look } from "./columns.tsx";
import classes from "./list.module.css";
import type { List } from "./use-list.ts";

const features = tableFeatures({ columnVisibilityFeature, rowSelectionFeature });
export type Selection = Record<string, true>;
/** Columns by id; `false` hides one. */
export type Visible = Record<string, boolean>;

type Props<R> = {
  list: List<R>;
  rows: R[];
  columns: readonly Column<R>[];
  look: Look;
  idOf: (row: R) => string;
  hidden: Visible;
  isCompact: boolean;
  selection: Selection;
  onSelect: ((next: Selection) => void) | null;
};

/** A heading that sorts. `order` takes the name of a field, with a dash before it for the other way round. */
function Heading<R>({ column, list }: { column: Column<R>; list: List<R> }) {
  const t = useText();
  if (!column.sort) return t(column.title);
  const order = list.query.get("order");
  const isDown = order === `-${column.sort}`;
  const isOn = isDown || order === column.sort;
  const Arrow = isDown ? IconArrowDown : IconArrowUp;
  return (
    <UnstyledButton
      className={classes.sort!}
      onClick={() => list.filter({ order: isOn && isDown ? column.sort! : `-${column.sort}` })}
      title={t("kit.list.sortBy", { name: t(column.title) })}
    >
      {t(column.title)}
      {isOn && <Arrow size={14} aria-hidden />}
    </UnstyledButton>
  );
}

const sortOf = <R,>({ sort }: Column<R>, order: string | null) =>
  sort === undefined || order === null || order.replace(/^-/, "") !== sort
    ? undefined
    : order.startsWith("-")
      ? ("descending" as const)
      : ("ascending" as const);

/** As many as a window shows, more or less. They are drawn at once, and the others in the next moment. */
const FIRST_ROWS = 12;

/** The rows of a list. Narrow windows show each row as a card: the roles keep it a table for who does not see it. */
export function ListTable<R extends object>(props: Props<R>) {
  const { list, columns, look, idOf, hidden, selection, onSelect } = props;
  const rows = useDeferredValue(props.rows, props.rows.slice(0, FIRST_ROWS));
  const t = useText();
  const byId = new Map(columns.map((column) => [column.id, column]));
  const table = useTable({
    features,
    data: rows,
    columns: useMemo(() => columns.map(({ id }) => ({ id })), [columns]),
    getRowId: idOf,
    state: { columnVisibility: hidden, rowSelection: selection },
    onRowSelectionChange: (update) => onSelect?.(typeof update === "function" ? update(selection) : update),
  });
  const shown = table.getVisibleLeafColumns().map(({ id }) => byId.get(id)!);
  return (
    // biome-ignore-start lint/a11y/noRedundantRoles: as cards the elements are no table any more, but for their roles.
    <table
      className={classes.table}
      role="table"
      data-compact={props.isCompact || undefined}
      aria-busy={list.isFetching}
    >
      <thead role="rowgroup">
        <tr role="row">
          {onSelect && (
            <th role="columnheader" scope="col" className={classes.check}>
              <Checkbox
                size="xs"
                aria-label={t("kit.list.selectAll")}
                checked={table.getIsAllRowsSelected()}
                indeterminate={table.getIsSomeRowsSelected()}
                onChange={table.getToggleAllRowsSelectedHandler()}
              />
            </th>
          )}
          {shown.map((column) => (
            <th
              key={column.id}
              role="columnheader"
              scope="col"
              className={column.isNumber ? classes.number : undefined}
              aria-sort={sortOf(column, list.query.get("order"))}
            >
              <Heading column={column} list={list} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {table.getRowModel().rows.map((row) => (
          <tr key={row.id} role="row" data-row={row.id} data-selected={row.getIsSelected() || undefined}>
            {onSelect && (
              <td role="cell" className={classes.check}>
                <Checkbox
                  size="xs"
                  aria-label={t("kit.list.select")}
                  checked={row.getIsSelected()}
                  onChange={row.getToggleSelectedHandler()}
                />
              </td>
            )}
            {shown.map((column) => (
              <td
                key={column.id}
                role="cell"
                className={column.isNumber ? classes.number : undefined}
                data-label={t(column.title)}
              >
                {column.cell(row.original as R, look)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
    // biome-ignore-end lint/a11y/noRedundantRoles: see above.
  );
}
