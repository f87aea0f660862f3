import { ActionIcon, Button, Group } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { IconChevronLeft, IconChevronRight, IconColumns, IconDownload, IconPlus } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import { Link, useNavigate } from "react-router";
import { useCan, useProject } from "../../api/session.ts";
import { type TextKey, useText } from "../../text/text.ts";
import { ShowAsCall } from "../call/show-as-call.tsx";
import { useKeys } from "../keys/letters.ts";
import { MenuButton } from "../menu/menu-button.tsx";
import { formatCount } from "../money/count.ts";
import { PageHead } from "../page/page-head.tsx";
import { Empty, Failure, LoadingRows, NoMatch } from "../states/states.tsx";
import { notifyDone, notifyFailed } from "../undo/undo.tsx";
import { type Bulk, BulkBar } from "./bulk.tsx";
import type { Column, Look } from "./columns.tsx";
import { csvOf, download } from "./csv.ts";
import { type Filter, FilterField } from "./filters.tsx";
import classes from "./list.module.css";
import { ListTable, type Selection, type Visible } from "./list-table.tsx";
import { moveRow, toggleRow } from "./row-keys.ts";
import { EXPORT_ROWS_MAX, type List } from "./use-list.ts";

export type ListScreenProps<R> = {
  list: List<R>;
  title: TextKey;
  columns: readonly Column<R>[];
  filters?: readonly Filter[];
  create?: { to: string; text: TextKey; can: string };
  bulk?: readonly Bulk<R>[];
  idOf?: (row: R) => string;
  empty: { title: TextKey; help?: TextKey };
  /** More buttons in the head, and what stands between filters and rows. */
  actions?: ReactNode;
  above?: ReactNode;
  /** In place of the table, for a view that the address names. */
  instead?: ReactNode;
  /** Part of a page that has its own title. */
  isPart?: boolean;
};

const idOfRow = (row: unknown) => String((row as { id: string }).id);

/** Which columns are shown and how close the rows stand: kept in this browser, for each list. */
function useColumns<R>(name: string, columns: readonly Column<R>[]) {
  const extra = Object.fromEntries(columns.filter(({ isExtra }) => isExtra).map(({ id }) => [id, false]));
  const [hidden, setHidden] = useLocalStorage<Visible>({ key: `laurel-columns:${name}`, defaultValue: extra });
  const [isCompact, setCompact] = useLocalStorage({ key: "laurel-compact", defaultValue: false });
  return { hidden, setHidden, isCompact, setCompact };
}
type Columns = ReturnType<typeof useColumns>;

function ColumnsMenu<R>({ columns, chosen }: { columns: readonly Column<R>[]; chosen: Columns }) {
  const t = useText();
  const { hidden, setHidden, isCompact, setCompact } = chosen;
  const button = (
    <ActionIcon variant="default" title={t("kit.list.columns")} aria-label={t("kit.list.columns")}>
      <IconColumns size={18} stroke={1.75} />
    </ActionIcon>
  );
  const ofColumns = columns.slice(1).map(({ id, title }) => ({
    text: t(title),
    isOn: hidden[id] !== false,
    run: () => setHidden({ ...hidden, [id]: hidden[id] === false }),
  }));
  const compact = { text: t("kit.list.compact"), isOn: isCompact, run: () => setCompact(!isCompact) };
  return <MenuButton button={button} isKept entries={[...ofColumns, "line", compact]} />;
}

function Foot<R>({ list }: { list: List<R> }) {
  const t = useText();
  const { rows = [], from, total, next, hasPrevious } = list;
  const range = { from: formatCount(from ?? 1), to: formatCount((from ?? 1) + rows.length - 1) };
  return (
    <div className={classes.foot}>
      <span role="status">
        {from === null || rows.length === 0
          ? ""
          : total === null
            ? t("kit.list.shownOpen", range)
            : t("kit.list.shown", { ...range, total: formatCount(total) })}
      </span>
      <Group gap="xs">
        <ActionIcon
          variant="default"
          disabled={!hasPrevious}
          onClick={() =>
            from === null ? history.back() : list.goTo(from <= 26 ? null : String(Number(list.query.get("page")) - 1))
          }
          aria-label={t("kit.list.previous")}
        >
          <IconChevronLeft size={18} />
        </ActionIcon>
        <ActionIcon
          variant="default"
          disabled={next === null}
          onClick={() => list.goTo(next)}
          aria-label={t("kit.list.next")}
        >
          <IconChevronRight size={18} />
        </ActionIcon>
      </Group>
    </div>
  );
}

function Rows<R extends object>(props: ListScreenProps<R> & { look: Look; chosen: Columns }) {
  const { list, columns, bulk = [], idOf = idOfRow, empty, create } = props;
  const t = useText();
  const can = useCan();
  const [selection, setSelection] = useState<Selection>({});
  const isSelectable = bulk.some(({ operation }) => can(operation.id));
  const { rows, error } = list;
  if (rows === undefined) return error ? <Failure error={error} retry={list.refetch} /> : <LoadingRows />;
  if (rows.length === 0 && (list.isFiltered || list.hasPrevious)) return <NoMatch onClear={list.clear} />;
  if (rows.length === 0) {
    const button = create && can(create.can) && (
      <Button component={Link} to={create.to}>
        {t(create.text)}
      </Button>
    );
    return <Empty {...empty} action={button} />;
  }
  const selected = rows.filter((row) => selection[idOf(row)]);
  return (
    <>
      {list.isFetching && <div className={classes.line} />}
      {error && <Failure error={error} retry={list.refetch} />}
      {selected.length > 0 && <BulkBar rows={selected} bulk={bulk} onClear={() => setSelection({})} />}
      <div className={classes.scroll}>
        <ListTable
          {...{ list, rows, columns, idOf, selection, look: props.look }}
          hidden={props.chosen.hidden}
          isCompact={props.chosen.isCompact}
          onSelect={isSelectable ? setSelection : null}
        />
      </div>
    </>
  );
}

/** A list: head, filters, rows, pages. All states are in here; a screen only says what is special about it. */
export function ListScreen<R extends object>(props: ListScreenProps<R>) {
  const { list, columns, title, filters = [], create } = props;
  const t = useText();
  const can = useCan();
  const navigate = useNavigate();
  const { currency, timezone } = useProject();
  const look: Look = { t, currency, zone: timezone };
  const chosen = useColumns(list.operation.id, columns);
  const mayCreate = create !== undefined && can(create.can);
  useKeys({
    j: () => moveRow(1),
    k: () => moveRow(-1),
    x: () => toggleRow(),
    "/": (event) => {
      event.preventDefault();
      document.querySelector<HTMLElement>("[data-list-search]")?.focus();
    },
    c: () => void (mayCreate && navigate(create.to)),
  });
  const save = async () => {
    const shown = columns.filter(({ id }) => chosen.hidden[id] !== false);
    try {
      const rows = await list.readAll();
      download(`${t(title)}.csv`, csvOf(rows, shown, look));
      if (rows.length === EXPORT_ROWS_MAX) notifyDone(t("kit.list.exportCut", { count: rows.length }));
    } catch (error) {
      notifyFailed(error);
    }
  };
  const tools = (
    <>
      {props.actions}
      <Button
        title={t("kit.list.exportHelp")}
        variant="default"
        leftSection={<IconDownload size={16} stroke={1.75} />}
        onClick={() => void save()}
      >
        {t("kit.list.export")}
      </Button>
      <ColumnsMenu columns={columns} chosen={chosen} />
      <ShowAsCall operation={list.operation} params={list.params} />
      {mayCreate && (
        <Button component={Link} to={create.to} leftSection={<IconPlus size={16} stroke={1.75} />}>
          {t(create.text)}
        </Button>
      )}
    </>
  );
  return (
    <>
      {!props.isPart && <PageHead title={t(title)}>{tools}</PageHead>}
      {(filters.length > 0 || props.isPart) && (
        <search className={classes.filters} aria-label={t(title)}>
          {filters.map((filter) => (
            <FilterField key={filter.name} filter={filter} list={list as List<never>} />
          ))}
          {props.isPart && <Group className={classes.tools!}>{tools}</Group>}
        </search>
      )}
      {props.above}
      {props.instead ?? (
        <>
          <div className={`${classes.panel} panel`}>
            <Rows {...props} look={look} chosen={chosen} />
          </div>
          <Foot list={list} />
        </>
      )}
    </>
  );
}
