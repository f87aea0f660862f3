import { ActionIcon, Anchor, Button, Stack, Text } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import { Link } from "react-router";
import {
  assignValidationRule,
  deleteValidationRuleAssignment,
  getValidationRule,
  type ValidationRule,
  type ValidationRuleAssignment,
} from "../../api/operations.gen.ts";
import { useCan } from "../../api/session.ts";
import { useOp } from "../../api/use-op.ts";
import { Can } from "../../kit/page/can.tsx";
import { useAct } from "../../kit/undo/use-act.ts";
import { type TextKey, useText } from "../../text/text.ts";
import classes from "./conditions.module.css";
import { asksNothing, namesGoods } from "./rule-says.ts";
import { RuleWords } from "./rule-words.tsx";

const AddRuleWindow = lazy(() => import("./add-rule-window.tsx"));

/** What rules are assigned to. */
export type Ruled = { type: ValidationRuleAssignment["related_object_type"]; id: string };
type Assigned = Pick<ValidationRuleAssignment, "id" | "rule_id">;

/** Takes a rule away from what it is assigned to. Undo assigns it again. */
export function useUnassign() {
  const t = useText();
  const [remove, assign] = [useAct(deleteValidationRuleAssignment), useAct(assignValidationRule)];
  return ({ id, rule_id }: Assigned, of: Ruled, name: string) => {
    const params = { validationRuleId: rule_id };
    const body = { related_object_type: of.type, related_object_id: of.id };
    return remove.run({ params: { ...params, assignmentId: id } }, t("conditions.removed", { name }), () =>
      assign.run({ params, body }),
    );
  };
}

/** What a rule says beside its conditions, or that it says nothing. */
function Beside({ rule }: { rule: ValidationRule }) {
  const t = useText();
  const isOnGoods = namesGoods(rule);
  if (!isOnGoods && !asksNothing(rule)) return null;
  return (
    <Text size="sm" c="dimmed">
      {t(isOnGoods ? "rules.goods" : "goods.emptyRule")}
    </Text>
  );
}

function AssignedRule({ of, assigned }: { of: Ruled; assigned: Assigned }) {
  const t = useText();
  const unassign = useUnassign();
  const { data } = useOp(getValidationRule, { validationRuleId: assigned.rule_id });
  const name = data?.name ?? assigned.rule_id;
  return (
    <li className={classes.rule}>
      <div>
        <Anchor component={Link} to={`/rules/${assigned.rule_id}`} inherit>
          {name}
        </Anchor>
        <Text size="sm" component="div">
          <RuleWords id={assigned.rule_id} />
        </Text>
        {data && <Beside rule={data} />}
      </div>
      <Can do="deleteValidationRuleAssignment">
        <ActionIcon
          variant="subtle"
          aria-label={t("conditions.remove", { name })}
          onClick={() => void unassign(assigned, of, name)}
        >
          <IconTrash size={16} stroke={1.75} />
        </ActionIcon>
      </Can>
    </li>
  );
}

type Props = {
  of: Ruled;
  assigned: readonly Assigned[];
  /** What is said where there is no rule. */
  none?: TextKey;
};
/** The rules that decide whether an offer applies: all of them have to hold. */
export function AssignedRules({ of, assigned, none = "conditions.none" }: Props) {
  const t = useText();
  const can = useCan();
  const [isOpen, setOpen] = useState(false);
  if (!can("getValidationRule")) return null;
  return (
    <Stack gap="md">
      {assigned.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t(none)}
        </Text>
      ) : (
        <ul className={classes.rules}>
          {assigned.map((one) => (
            <AssignedRule key={one.id} of={of} assigned={one} />
          ))}
        </ul>
      )}
      <Can do="assignValidationRule">
        <div>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={14} stroke={1.75} />}
            onClick={() => setOpen(true)}
          >
            {t("conditions.add")}
          </Button>
        </div>
      </Can>
      {isOpen && (
        <Suspense>
          <AddRuleWindow of={of} taken={assigned.map(({ rule_id }) => rule_id)} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </Stack>
  );
}
