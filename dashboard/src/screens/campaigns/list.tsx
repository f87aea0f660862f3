import type { RowOf } from "../../api/op.ts";
import { disableCampaign, enableCampaign, listCampaigns } from "../../api/operations.gen.ts";
import { count, discount, link, period, spark, status, used, word } from "../../kit/list/columns.tsx";
import { pick, search, tabs } from "../../kit/list/filters.tsx";
import { ListScreen } from "../../kit/list/list-screen.tsx";
import { useList } from "../../kit/list/use-list.ts";
import type { TextKey } from "../../text/text.ts";
import { KINDS } from "./kinds.ts";

type Campaign = RowOf<typeof listCampaigns>;

const STATUSES: Record<string, TextKey> = {
  ACTIVE: "kit.status.active",
  SCHEDULED: "kit.status.scheduled",
  DRAFT: "kit.status.draft",
  DISABLED: "kit.status.disabled",
  USED_UP: "kit.status.usedUp",
  EXPIRED: "kit.status.expired",
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

export default function Campaigns() {
  const list = useList(listCampaigns, { expand: "counters" });
  return (
    <ListScreen
      list={list}
      title="campaigns.title"
      create={{ to: "/campaigns/new", text: "campaigns.new", can: "createCampaign" }}
      filters={[
        tabs("status", "campaigns.status", STATUSES),
        pick("campaign_type", "campaigns.kind", KINDS),
        search("name", "campaigns.searchName"),
      ]}
      columns={COLUMNS}
      bulk={[
        {
          text: "campaigns.enable",
          done: "campaigns.enabled",
          operation: enableCampaign,
          undo: disableCampaign,
          params,
        },
        {
          text: "campaigns.disable",
          done: "campaigns.disabled",
          operation: disableCampaign,
          undo: enableCampaign,
          params,
        },
      ]}
      empty={{ title: "campaigns.empty", help: "campaigns.emptyHelp" }}
    />
  );
}
