import { List, Stack, Text, Title } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { AnswerOf } from "../../api/op.ts";
import type { FilterConditions, previewProductCollection, previewSegment } from "../../api/operations.gen.ts";
import { send } from "../../api/send.ts";
import { useProject } from "../../api/session.ts";
import { formatCount } from "../../kit/money/count.ts";
import { Can } from "../../kit/page/can.tsx";
import { Panel } from "../../kit/page/panel.tsx";
import { Failure } from "../../kit/states/states.tsx";
import { useText } from "../../text/text.ts";
import classes from "./beside.module.css";

const TYPING_MS = 300;

type Previews = typeof previewSegment | typeof previewProductCollection;
/** What can be asked who fits a filter that nobody has saved. */
export type PreviewOf<O extends Previews> = {
  operation: O;
  title: Record<"exact" | "about", "segments.size" | "segments.about" | "collections.size" | "collections.about">;
  namesOf: (answer: AnswerOf<O>) => { id: string; name: string }[];
};

/** What fits the filter as it stands now. An older answer is marked, not removed. */
function Preview<O extends Previews>({ of, filter }: { of: PreviewOf<O>; filter: FilterConditions }) {
  const t = useText();
  const project = useProject();
  const [text] = useDebouncedValue(JSON.stringify(filter), TYPING_MS);
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: [project.id, of.operation.id, text],
    queryFn: ({ signal }) =>
      send(of.operation as typeof previewSegment, {}, { body: { filter: JSON.parse(text) }, signal }) as Promise<
        AnswerOf<O>
      >,
    placeholderData: keepPreviousData,
  });
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  const names = data ? of.namesOf(data) : [];
  return (
    <Stack gap="xs" className={isFetching && data ? "stale" : undefined} aria-busy={isFetching}>
      <div role="status">
        <Title order={2}>
          {data
            ? t(data.approximate ? of.title.about : of.title.exact, {
                count: data.count,
                shown: formatCount(data.count),
              })
            : t("kit.loading")}
        </Title>
      </div>
      <List size="sm">
        {names.map(({ id, name }) => (
          <List.Item key={id}>{name}</List.Item>
        ))}
      </List>
      {data && data.count > names.length && (
        <Text size="sm" c="dimmed">
          {t("segments.andMore", { shown: formatCount(data.count - names.length) })}
        </Text>
      )}
    </Stack>
  );
}

type Props<O extends Previews> = { of: PreviewOf<O>; filter: FilterConditions | null; children: ReactNode };

/** A form, and beside it what fits its filter; null: it has none. */
export const WithPreview = <O extends Previews>({ of, filter, children }: Props<O>) => (
  <div className={classes.columns}>
    <Panel>{children}</Panel>
    {filter && (
      <Can do={of.operation.id}>
        <Panel>
          <Preview of={of} filter={filter} />
        </Panel>
      </Can>
    )}
  </div>
);
