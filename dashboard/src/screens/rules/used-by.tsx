import { ActionIcon, Anchor, Button, Text } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import { Link } from "react-router";
import { listAssignmentsOfValidationRule, type ValidationRuleAssignment } from "../../api/operations.gen.ts";
import { useOp } from "../../api/use-op.ts";
import { type Column, text, word } from "../../kit/list/columns.tsx";
import { SmallTable } from "../../kit/list/small-table.tsx";
import { Can } from "../../kit/page/can.tsx";
import { Section } from "../../kit/page/section.tsx";
import { Loaded } from "../../kit/states/loaded.tsx";
import { useUnassign } from "../../registry/conditions/assigned-rules.tsx";
import { type TextKey, useText } from "../../text/text.ts";
import { useRuled } from "./use-ruled.ts";

const AssignWindow = lazy(() => import("./assign-window.tsx"));

const KINDS: Record<ValidationRuleAssignment["related_object_type"], TextKey> = {
  campaign: "conditions.kinds.campaign",
  voucher: "conditions.kinds.voucher",
  promotion_tier: "conditions.kinds.promotion_tier",
  earning_rule: "conditions.kinds.earning_rule",
  reward_assignment: "conditions.kinds.reward_assignment",
  distribution: "conditions.kinds.distribution",
};
const MANY = 100;

const ruledOf = ({ related_object_type: type, related_object_id: id }: ValidationRuleAssignment) => ({ type, id });

/** What uses the rule, by its name, with the way there. */
function Ruled({ of }: { of: ValidationRuleAssignment }) {
  const { name, to } = useRuled(ruledOf(of));
  return to === null ? (
    <span className="mono">{name}</span>
  ) : (
    <Anchor component={Link} to={to} inherit>
      {name}
    </Anchor>
  );
}

function Remove({ assignment, rule }: { assignment: ValidationRuleAssignment; rule: string }) {
  const t = useText();
  const unassign = useUnassign();
  const { name } = useRuled(ruledOf(assignment));
  return (
    <ActionIcon
      variant="subtle"
      aria-label={t("conditions.removeFrom", { name })}
      onClick={() => void unassign(assignment, ruledOf(assignment), rule)}
    >
      <IconTrash size={16} stroke={1.75} />
    </ActionIcon>
  );
}

/** The campaigns, codes and offers that a rule decides about. */
export default function UsedBy({ id, name }: { id: string; name: string }) {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  const assignments = useOp(listAssignmentsOfValidationRule, { validationRuleId: id, limit: MANY });
  const columns: Column<ValidationRuleAssignment>[] = [
    word("conditions.what", "related_object_type", KINDS),
    text("conditions.name", "related_object_id", { cell: (one) => <Ruled of={one} /> }),
    text("kit.more", "id", {
      cell: (one) => (
        <Can do="deleteValidationRuleAssignment">
          <Remove assignment={one} rule={name} />
        </Can>
      ),
    }),
  ];
  const add = (
    <Can do="assignValidationRule">
      <Button
        size="xs"
        variant="default"
        leftSection={<IconPlus size={14} stroke={1.75} />}
        onClick={() => setOpen(true)}
      >
        {t("conditions.assign")}
      </Button>
    </Can>
  );
  return (
    <Section title={t("conditions.usedBy")} actions={add}>
      <Loaded of={assignments} rows={2}>
        {({ data, total }) => (
          <>
            {data.length === 0 ? (
              <Text c="dimmed">{t("conditions.usedByNobody")}</Text>
            ) : (
              <SmallTable rows={data} columns={columns} idOf={(one) => one.id} label={t("conditions.usedBy")} />
            )}
            {total > data.length && (
              <Text size="sm" c="dimmed">
                {t("conditions.moreUses", { count: total - data.length })}
              </Text>
            )}
          </>
        )}
      </Loaded>
      {isOpen && (
        <Suspense>
          <AssignWindow rule={id} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </Section>
  );
}
