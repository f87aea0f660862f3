import { List, Stack, Text, Title } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type FilterConditions, previewSegment } from "../../api/operations.gen.ts";
import { send } from "../../api/send.ts";
import { useProject } from "../../api/session.ts";
import { formatCount } from "../../kit/money/count.ts";
import { Failure } from "../../kit/states/states.tsx";
import { useText } from "../../text/text.ts";

const TYPING_MS = 300;

/** Who is in the segment as the filter stands now. An older answer is dimmed, not removed. */
export function Preview({ filter }: { filter: FilterConditions }) {
  const t = useText();
  const project = useProject();
  const [text] = useDebouncedValue(JSON.stringify(filter), TYPING_MS);
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: [project.id, "previewSegment", text],
    queryFn: ({ signal }) => send(previewSegment, {}, { body: { filter: JSON.parse(text) }, signal }),
    placeholderData: keepPreviousData,
  });
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  return (
    <Stack gap="xs" opacity={isFetching ? 0.6 : 1}>
      <div role="status">
        <Title order={2}>
          {data
            ? t(data.approximate ? "segments.about" : "segments.size", {
                count: data.count,
                shown: formatCount(data.count),
              })
            : t("kit.loading")}
        </Title>
      </div>
      <List size="sm">
        {data?.customers.map(({ id, name, email, source_id }) => (
          <List.Item key={id}>{[name, email ?? source_id].filter(Boolean).join(" · ") || id}</List.Item>
        ))}
      </List>
      {data && data.count > data.customers.length && (
        <Text size="sm" c="dimmed">
          {t("segments.andMore", { shown: formatCount(data.count - data.customers.length) })}
        </Text>
      )}
    </Stack>
  );
}
