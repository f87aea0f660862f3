import { SegmentedControl } from "@mantine/core";
import { Link, useSearchParams } from "react-router";
import type { RowOf } from "../../api/op.ts";
import { listAuditLog, listAuditLogOfInstallation, listUsers } from "../../api/operations.gen.ts";
import { useCan, useProject } from "../../api/session.ts";
import { useOp } from "../../api/use-op.ts";
import { Select } from "../../kit/later/fields.ts";
import { type Column, moment, mono, word } from "../../kit/list/columns.tsx";
import { type FilterProps, pick, search } from "../../kit/list/filters.tsx";
import { ListScreen } from "../../kit/list/list-screen.tsx";
import { day } from "../../kit/list/more-filters.tsx";
import { useList } from "../../kit/list/use-list.ts";
import { operationWord } from "../../registry/operation-word.ts";
import { actorWord, kindWord } from "../../registry/words.ts";
import { type TextKey, useText } from "../../text/text.ts";
import { ACTIONS, INSTALLATION } from "./audit-words.ts";
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
  cell: (row, { t }) => <EntryLink id={row.id}>{kindWord(t, row.kind)}</EntryLink>,
  csv: ({ kind }) => kind,
};
const who: Column<Entry> = {
  id: "actor.name",
  title: "settings.actor",
  cell: ({ actor }, { t }) => <span title={actor.id}>{actorWord(t, actor)}</span>,
  csv: ({ actor }, { t }) => actorWord(t, actor),
};
const how: Column<Entry> = {
  id: "operation",
  title: "settings.operation",
  cell: ({ operation }, { t }) => <span title={operation}>{operationWord(t, operation)}</span>,
  csv: ({ operation }) => operation,
};
const COLUMNS = [
  what,
  word<Entry>("settings.action", "action", ACTIONS),
  moment<Entry>("settings.time", "created_at"),
  who,
  how,
  mono<Entry>("settings.objectId", "object_id"),
  mono<Entry>("settings.actorId", "actor.id", { isExtra: true }),
  mono<Entry>("settings.requestId", "request_id", { isExtra: true }),
];

function EntryLink({ id, children }: { id: string; children: string }) {
  const [query] = useSearchParams();
  const view = query.get("view");
  return (
    <Link to={`/settings/audit/${id}${view === null ? "" : `?view=${view}`}`} data-opens="">
      {children}
    </Link>
  );
}

const WIDE = 100;
/** Whoever is in the project, and whoever changed something lately: a key, or a person who is gone. */
function PersonFilter({ list }: FilterProps) {
  const t = useText();
  const can = useCan();
  const { id: projectId } = useProject();
  const isWhole = list.query.get("view") === INSTALLATION;
  const users = useOp(listUsers, { projectId, limit: WIDE }, { enabled: can("listUsers") });
  const recent = useOp(isWhole ? listAuditLogOfInstallation : listAuditLog, { limit: WIDE });
  const chosen = list.query.get("actor_id");
  const names = new Map<string, string>(chosen === null ? [] : [[chosen, chosen]]);
  for (const { id, first_name, last_name, email } of users.data?.data ?? [])
    names.set(id, `${first_name} ${last_name}`.trim() || email);
  for (const { actor } of recent.data?.data ?? []) names.set(actor.id, actorWord(t, actor));
  return (
    <Select
      size="sm"
      w={{ base: "100%", xs: 190 }}
      searchable
      clearable
      aria-label={t("settings.actor")}
      placeholder={t("settings.anybody")}
      clearButtonProps={{ "aria-label": t("kit.clearFilters") }}
      data={[...names].map(([value, label]) => ({ value, label }))}
      value={chosen}
      onChange={(id) => list.filter({ actor_id: id })}
    />
  );
}

function WhichLog({ value }: { value: string }) {
  const t = useText();
  const [, setQuery] = useSearchParams();
  const data = [
    { value: "", label: t("settings.ofProject") },
    { value: INSTALLATION, label: t("settings.ofInstallation") },
  ];
  return (
    <SegmentedControl
      size="sm"
      aria-label={t("settings.logOf")}
      data={data}
      value={value}
      onChange={(view) => setQuery(view === "" ? {} : { view })}
    />
  );
}

export default function AuditLog() {
  const can = useCan();
  const [query] = useSearchParams();
  const isWhole = query.get("view") === INSTALLATION;
  const list = useList(isWhole ? listAuditLogOfInstallation : listAuditLog, {}, { paging: "starting_after_id" });
  return (
    <SettingsFrame>
      <ListScreen
        list={list}
        title="settings.audit"
        filters={[
          { kind: "own", name: "actor_id", title: "settings.actor", field: PersonFilter },
          day("created_at[after]", "settings.after"),
          day("created_at[before]", "settings.before"),
          pick("kind", "settings.kind", KINDS),
          search("object_id", "settings.searchObject"),
        ]}
        actions={can("listAuditLogOfInstallation") && <WhichLog value={isWhole ? INSTALLATION : ""} />}
        columns={COLUMNS}
        empty={{ title: "settings.noAudit" }}
      />
    </SettingsFrame>
  );
}
