import { SimpleGrid } from "@mantine/core";
import {
  createStackingRules,
  getStackingRules,
  listStackingRules,
  type StackingRules,
  updateStackingRules,
} from "../../api/operations.gen.ts";
import { type Answer, sendFor } from "../../api/send.ts";
import { useProject } from "../../api/session.ts";
import { useOp, useRecord } from "../../api/use-op.ts";
import { changedFields } from "../../kit/form/changes.ts";
import { Edited } from "../../kit/form/edited.tsx";
import { RecordForm } from "../../kit/form/record-form.tsx";
import { useRecordForm, type Version } from "../../kit/form/use-record-form.ts";
import { NumberInput, Select } from "../../kit/later/fields.ts";
import { notifyDone } from "../../kit/undo/undo.tsx";
import { useText } from "../../text/text.ts";

const LIMITS = [
  "redeemables_limit",
  "applicable_redeemables_limit",
  "applicable_redeemables_per_category_limit",
  "applicable_exclusive_redeemables_limit",
] as const;
/** The choices of the rules, in the words of the interface. */
const CHOICES = {
  redeemables_sorting_rule: ["REQUESTED_ORDER", "CATEGORY_HIERARCHY"],
  redeemables_application_mode: ["ALL", "PARTIAL"],
  discount_calculation_mode: ["INITIAL_AMOUNT", "DISCOUNTED_AMOUNT"],
  grouped_redeemables_sorting_rule: ["JOINT_ALWAYS_LAST", "SORTING_RULE_ALWAYS"],
  redeemables_products_application_mode: ["STACK", "ONCE"],
  redeemables_no_effect_rule: ["REDEEM_ANYWAY", "SKIP"],
} as const;
type Choice = keyof typeof CHOICES;
const NAMES = Object.keys(CHOICES) as Choice[];
type Values = Pick<StackingRules, (typeof LIMITS)[number] | Choice>;
/** What was changed and not saved. */
export type StackingDraft = Partial<Values>;
type OnEdit = (draft: StackingDraft | null) => void;

/** A field that was emptied has no limit. */
const bodyOf = (changed: StackingDraft): StackingDraft =>
  Object.fromEntries(
    Object.entries(changed).map(([name, value]) => [name, (value as unknown) === "" ? null : value]),
  ) as StackingDraft;

const versionOf = ({ body, etag }: Answer<StackingRules>): Version<Values> => ({
  values: Object.fromEntries([...LIMITS, ...NAMES].map((name) => [name, body[name]])) as Values,
  etag,
});

type FieldsProps = { id: string | undefined; from: Version<Values>; again: () => void; onEdit: OnEdit };

function Fields({ id, from, again, onEdit }: FieldsProps) {
  const t = useText();
  const { id: projectId } = useProject();
  const state = useRecordForm<Values>({
    record: `stacking:${id ?? "new"}`,
    from,
    save: async (send, changed, version) => {
      const body = bodyOf(changed);
      return id === undefined
        ? send(createStackingRules, { params: { projectId }, body })
        : send(updateStackingRules, { params: { projectId, stackingRulesId: id }, body, ...version });
    },
    ...(id !== undefined && {
      readAgain: async () => versionOf(await sendFor(getStackingRules, { projectId, stackingRulesId: id })),
    }),
    onSaved: () => {
      onEdit(null);
      notifyDone(t("kit.form.saved"));
      again();
    },
    onEdit: (typed) => {
      const changed = bodyOf(changedFields(from.values, typed));
      onEdit(Object.keys(changed).length === 0 ? null : changed);
    },
  });
  const { form } = state;
  const labels = Object.fromEntries([...LIMITS, ...NAMES].map((name) => [name, t(`stacking.fields.${name}`)]));
  return (
    <RecordForm state={state} labels={labels}>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
        {LIMITS.map((name) => (
          <NumberInput
            key={form.key(name)}
            label={labels[name]}
            min={1}
            max={30}
            allowDecimal={false}
            {...form.getInputProps(name)}
          />
        ))}
        {NAMES.map((name) => (
          <Select
            key={form.key(name)}
            label={labels[name]}
            data={CHOICES[name].map((value) => ({ value, label: t(`stacking.choices.${value}`) }))}
            allowDeselect={false}
            {...form.getInputProps(name)}
          />
        ))}
      </SimpleGrid>
    </RecordForm>
  );
}

function SavedRules({ id, onEdit }: { id: string; onEdit: OnEdit }) {
  const { id: projectId } = useProject();
  const rules = useRecord(getStackingRules, { projectId, stackingRulesId: id });
  return (
    <Edited of={rules}>
      {(read, again) => <Fields id={id} from={versionOf(read)} again={again} onEdit={onEdit} />}
    </Edited>
  );
}

/** The groups of the categories are written beside this form, into the same record: only its own fields are sent. */
export function RulesForm({ onEdit }: { onEdit: OnEdit }) {
  const { id: projectId } = useProject();
  const rules = useOp(listStackingRules, { projectId });
  return (
    <Edited of={rules}>
      {({ data: [rules] }, again) =>
        rules?.id !== undefined ? (
          <SavedRules id={rules.id} onEdit={onEdit} />
        ) : rules ? (
          <Fields id={undefined} from={versionOf({ body: rules, etag: null })} again={again} onEdit={onEdit} />
        ) : null
      }
    </Edited>
  );
}
