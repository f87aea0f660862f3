import { SegmentedControl } from "@mantine/core";
import { lazy, Suspense } from "react";
import type { RowOf } from "../../api/op.ts";
import {
  archiveCampaign,
  disableCampaign,
  enableCampaign,
  listCampaigns,
  unarchiveCampaign,
} from "../../api/operations.gen.ts";
import type { Bulk } from "../../kit/list/bulk.tsx";
import { count, discount, link, period, spark, status, used, word } from "../../kit/list/columns.tsx";
import { pick, search, tabs } from "../../kit/list/filters.tsx";
import { ListScreen } from "../../kit/list/list-screen.tsx";
import { firstRows, type List, useList } from "../../kit/list/use-list.ts";
import { LoadingRows } from "../../kit/states/states.tsx";
import { type TextKey, useText } from "../../text/text.ts";
import { KINDS } from "./kinds.ts";

const Timeline = lazy(() => import("./timeline/timeline.tsx"));

export type Campaign = RowOf<typeof listCampaigns>;

const STATUSES: Record<string, TextKey> = {
  ACTIVE: "kit.status.active",
  SCHEDULED: "kit.status.scheduled",
  DRAFT: "kit.status.draft",
  DISABLED: "kit.status.disabled",
  USED_UP: "kit.status.usedUp",
  EXPIRED: "kit.status.expired",
  ARCHIVED: "kit.status.archived",
};
const COLUMNS = [
  link<Campaign>("campaigns.name", "name", ({ id }) => `/campaigns/${id}`, { sort: "name" }),
  status<Campaign>("campaigns.status", "status"),
  word<Campaign>("campaigns.kind", "campaign_type", KINDS),
  period<Campaign>("campaigns.period", "start_date", "expiration_date"),
  count<Campaign>("campaigns.redemptions", "counters.redemptions"),
  spark<Campaign>("campaigns.days", "counters.redemptions_by_day"),
  discount<Campaign>("campaigns.discount", "counters.discount"),
  used<Campaign>("campaigns.used", [
    ["counters.budget_used", "counters.budget", "campaigns.ofBudget"],
    // One code for everybody is used by the first who comes.
    ["counters.codes_used", "counters.codes", "campaigns.ofCodes", 2],
  ]),
];
const params = ({ id }: Campaign) => ({ campaignId: id });
const enable: Bulk<Campaign> = {
  ...{ text: "campaigns.enable", done: "campaigns.enabled", params },
  ...{ operation: enableCampaign, undo: disableCampaign },
};
const BULK: readonly Bulk<Campaign>[] = [
  enable,
  {
    ...{ text: "campaigns.disable", done: "campaigns.disabled", params },
    ...{ operation: disableCampaign, undo: enableCampaign },
  },
  {
    ...{ text: "campaigns.archive", done: "campaigns.archived", params },
    operation: archiveCampaign,
    // Archiving disables a campaign: one that ran runs again.
    undo: ({ active }) => (active ? enableCampaign : unarchiveCampaign),
  },
];
const BULK_ARCHIVED: readonly Bulk<Campaign>[] = [
  { ...enable, undo: archiveCampaign },
  {
    ...{ text: "campaigns.unarchive", done: "campaigns.unarchived", params },
    ...{ operation: unarchiveCampaign, undo: archiveCampaign },
  },
];

/** The same rows as a table, or over the months. */
function ViewChoice({ list }: { list: List<Campaign> }) {
  const t = useText();
  return (
    <SegmentedControl
      aria-label={t("timeline.view")}
      size="sm"
      data={[
        { value: "", label: t("timeline.table") },
        { value: "timeline", label: t("timeline.timeline") },
      ]}
      value={list.query.get("view") === "timeline" ? "timeline" : ""}
      onChange={(view) => list.filter({ view })}
    />
  );
}

export default function Campaigns() {
  const list = useList(listCampaigns, {}, { later: { expand: "counters" } });
  const isTimeline = list.query.get("view") === "timeline";
  const filters = [
    tabs("status", "campaigns.status", STATUSES),
    pick("campaign_type", "campaigns.kind", KINDS),
    search("name", "campaigns.searchName"),
  ];
  return (
    <ListScreen
      list={list}
      title="campaigns.title"
      create={{ to: "/campaigns/start", text: "campaigns.new", can: "createCampaign" }}
      filters={filters}
      columns={COLUMNS}
      actions={<ViewChoice list={list} />}
      {...(isTimeline && {
        instead: (
          <Suspense fallback={<LoadingRows />}>
            <Timeline />
          </Suspense>
        ),
      })}
      bulk={list.query.get("status") === "ARCHIVED" ? BULK_ARCHIVED : BULK}
      empty={{ title: "campaigns.empty", help: "campaigns.emptyHelp" }}
    />
  );
}
Campaigns.first = firstRows(listCampaigns);
