import { Stack } from "@mantine/core";
import type { RowOf } from "../../../api/op.ts";
import { type Campaign, listRefusals } from "../../../api/operations.gen.ts";
import { useCan } from "../../../api/session.ts";
import { usePeriod } from "../../../kit/chart/use-period.ts";
import { formatShort } from "../../../kit/date/date.ts";
import { link, mono, text } from "../../../kit/list/columns.tsx";
import { search } from "../../../kit/list/filters.tsx";
import { ListScreen } from "../../../kit/list/list-screen.tsx";
import { useList } from "../../../kit/list/use-list.ts";
import { refusalWord } from "../../../registry/trace/refusal-word.ts";
import { ReasonsCard } from "./reasons.tsx";

type Refusal = RowOf<typeof listRefusals>;

const COLUMNS = [
  link<Refusal>(
    "campaigns.time",
    ({ created_at }, { zone }) => formatShort(created_at, zone),
    ({ request_id }) => `/requests/${request_id}`,
  ),
  text<Refusal>("campaigns.reason", "reason", {
    cell: (refusal, { t, currency }) => refusalWord(t, currency, refusal),
  }),
  mono<Refusal>("campaigns.code", "codes"),
  mono<Refusal>("campaigns.customer", "customers", { isExtra: true }),
];

export default function Refusals({ record }: { record: Campaign }) {
  const can = useCan();
  const { from, to } = usePeriod();
  const list = useList(listRefusals, { campaign: record.id }, { paging: "starting_after_id" });
  return (
    <Stack gap="lg">
      {can("getRefusalSummary") && <ReasonsCard campaign={record.id} from={from} to={to} />}
      <ListScreen
        isPart
        list={list}
        title="campaigns.refusals"
        filters={[search("code", "campaigns.searchCode")]}
        columns={COLUMNS}
        empty={{ title: "campaigns.noRefusals", help: "campaigns.noRefusalsHelp" }}
      />
    </Stack>
  );
}
