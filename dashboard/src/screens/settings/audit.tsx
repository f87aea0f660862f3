import { Link } from "react-router";
import type { RowOf } from "../../api/op.ts";
import { listAuditLog } from "../../api/operations.gen.ts";
import { type Column, moment, mono, text, word } from "../../kit/list/columns.tsx";
import { pick, search } from "../../kit/list/filters.tsx";
import { ListScreen } from "../../kit/list/list-screen.tsx";
import { useList } from "../../kit/list/use-list.ts";
import { kindWord } from "../../registry/words.ts";
import type { TextKey } from "../../text/text.ts";
import { ACTIONS, ACTORS } from "./audit-words.ts";
import { SettingsFrame } from "./frame.tsx";

type Entry = RowOf<typeof listAuditLog>;

const KINDS = {
  benefit: "names.kinds.benefit",
  branding: "names.kinds.branding",
  campaign: "names.kinds.campaign",
  campaign_earning_rule: "names.kinds.campaign_earning_rule",
  campaign_reward: "names.kinds.campaign_reward",
  campaign_template: "names.kinds.campaign_template",
  campaign_tier: "names.kinds.campaign_tier",
  card_definition: "names.kinds.card_definition",
  category: "names.kinds.category",
  custom_event_schema: "names.kinds.custom_event_schema",
  earning_rule: "names.kinds.earning_rule",
  key: "names.kinds.key",
  metadata_schema: "names.kinds.metadata_schema",
  product_collection: "names.kinds.product_collection",
  program: "names.kinds.program",
  program_assignment: "names.kinds.program_assignment",
  project: "names.kinds.project",
  promotion_stack: "names.kinds.promotion_stack",
  promotion_tier: "names.kinds.promotion_tier",
  reward: "names.kinds.reward",
  reward_assignment: "names.kinds.reward_assignment",
  role: "names.kinds.role",
  segment: "names.kinds.segment",
  stacking_rules: "names.kinds.stacking_rules",
  tier: "names.kinds.tier",
  tier_structure: "names.kinds.tier_structure",
  user: "names.kinds.user",
  validation_rule: "names.kinds.validation_rule",
  validation_rule_assignment: "names.kinds.validation_rule_assignment",
  webhook: "names.kinds.webhook",
  webhook_secret: "names.kinds.webhook_secret",
} as const satisfies Record<string, TextKey>;
const what: Column<Entry> = {
  id: "kind",
  title: "settings.what",
  cell: (row, { t }) => (
    <Link to={`/settings/audit/${row.id}`} data-opens="">
      {kindWord(t, row.kind)}
    </Link>
  ),
  csv: ({ kind }) => kind,
};
const COLUMNS = [
  what,
  word<Entry>("settings.action", "action", ACTIONS),
  moment<Entry>("settings.time", "created_at"),
  word<Entry>("settings.actor", "actor.type", ACTORS),
  mono<Entry>("settings.objectId", "object_id"),
  text<Entry>("settings.operation", "operation"),
  mono<Entry>("settings.actorId", "actor.id", { isExtra: true }),
  mono<Entry>("settings.requestId", "request_id", { isExtra: true }),
];

export default function AuditLog() {
  const list = useList(listAuditLog, {}, { paging: "starting_after_id" });
  return (
    <SettingsFrame>
      <ListScreen
        list={list}
        title="settings.audit"
        filters={[
          pick("actor_type", "settings.actor", ACTORS),
          search("object_id", "settings.searchObject"),
          pick("kind", "settings.what", KINDS),
          search("operation", "settings.searchOperation"),
        ]}
        columns={COLUMNS}
        empty={{ title: "settings.noAudit" }}
      />
    </SettingsFrame>
  );
}
