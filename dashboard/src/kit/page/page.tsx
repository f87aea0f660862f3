import { Tabs } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import { type ComponentType, lazy, type ReactNode, Suspense, useEffect, useRef } from "react";
import { useSearchParams } from "react-router";
import type { AnyOp } from "../../api/op.ts";
import { type TextKey, useText } from "../../text/text.ts";
import { ShowAsCall } from "../call/show-as-call.tsx";
import { OF_THE_PAGE } from "../list/use-list.ts";
import { Failure, LoadingRows } from "../states/states.tsx";
import { StatusBadge } from "../status/status-badge.tsx";
import { PageHead } from "./page-head.tsx";

type Tab<T> = { title: TextKey; load: () => Promise<{ default: ComponentType<{ record: T }> }> };
type Props<T> = {
  of: Pick<UseQueryResult<T, Error>, "data" | "error" | "refetch">;
  title: (record: T) => string;
  status?: (record: T) => string | null | undefined;
  below?: (record: T) => ReactNode;
  actions?: (record: T) => ReactNode;
  /** The call that this page shows, for who wants to make it. */
  call?: readonly [AnyOp, object];
  /** Below the head; the open one is in the address. */
  tabs?: Record<string, Tab<T>>;
  children?: (record: T) => ReactNode;
};

/** The page of one record: waiting, refused, not there, or shown. */
export function Page<T>({ of: { data, error, refetch }, call, ...props }: Props<T>) {
  const t = useText();
  const title = data === undefined ? null : props.title(data);
  useEffect(() => {
    if (title) document.title = `${title} · Laurel`;
  }, [title]);
  if (data === undefined)
    return (
      <>
        <PageHead title={error ? t("kit.failed") : t("kit.loading")} />
        {error ? <Failure error={error} retry={() => void refetch()} /> : <LoadingRows />}
      </>
    );
  const status = props.status?.(data);
  return (
    <>
      <PageHead title={title} beside={status && <StatusBadge status={status} />} below={props.below?.(data)}>
        {props.actions?.(data)}
        {call && <ShowAsCall operation={call[0]} params={call[1]} />}
      </PageHead>
      {props.children?.(data)}
      {props.tabs && <PageTabs tabs={props.tabs} record={data} />}
    </>
  );
}

/** Filters of the list on one tab mean nothing to the next one. */
const ofThePage = (query: URLSearchParams) =>
  Object.fromEntries([...query].filter(([name]) => OF_THE_PAGE.includes(name)));

function PageTabs<T>({ tabs, record }: { tabs: Record<string, Tab<T>>; record: T }) {
  const t = useText();
  const [query, setQuery] = useSearchParams();
  const names = Object.keys(tabs);
  const open = names.find((name) => name === query.get("tab")) ?? names[0]!;
  // A tab is loaded once. Not in a memo: what waits for it is rendered anew, and would load it for ever.
  const loaded = useRef(new Map<string, ComponentType<{ record: T }>>()).current;
  if (!loaded.has(open)) loaded.set(open, lazy(tabs[open]!.load));
  const Shown = loaded.get(open)!;
  return (
    <Tabs
      value={open}
      onChange={(name) => setQuery((old) => ({ ...ofThePage(old), tab: name ?? open }), { replace: true })}
    >
      <Tabs.List mb="lg">
        {names.map((name) => (
          <Tabs.Tab key={name} value={name}>
            {t(tabs[name]!.title)}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={open}>
        <Suspense fallback={<LoadingRows />}>
          <Shown record={record} />
        </Suspense>
      </Tabs.Panel>
    </Tabs>
  );
}
