import { Text, TextInput } from "@mantine/core";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { useNavigate, useParams, useSearchParams } from "react-router";
import type { BodyOf } from "../../api/op.ts";
import {
  assignValidationRule,
  createValidationRule,
  getValidationRule,
  updateValidationRule,
  type ValidationRule,
} from "../../api/operations.gen.ts";
import { sendFor } from "../../api/send.ts";
import { useCan } from "../../api/session.ts";
import { useRecord } from "../../api/use-op.ts";
import { ShowAsCall } from "../../kit/call/show-as-call.tsx";
import { RecordForm } from "../../kit/form/record-form.tsx";
import type { SendStep } from "../../kit/form/steps.ts";
import { type RecordForm as FormState, useRecordForm, type Version } from "../../kit/form/use-record-form.ts";
import { PageHead } from "../../kit/page/page-head.tsx";
import { Panel } from "../../kit/page/panel.tsx";
import { Failure, LoadingRows } from "../../kit/states/states.tsx";
import { notifyDone } from "../../kit/undo/undo.tsx";
import { useCart } from "../../registry/cart/use-cart.ts";
import type { Ruled } from "../../registry/conditions/assigned-rules.tsx";
import { type Traces, tracesIn } from "../../registry/rule-tree/traces.ts";
import { parseRules, printRules, type StoredRules } from "../../registry/rule-tree/tree.ts";
import { useText } from "../../text/text.ts";
import classes from "./rules.module.css";
import { ruledIn, useRuled } from "./use-ruled.ts";
import { NEW_RULE, useTrial } from "./use-trial.ts";

// The conditions stand there before the cart beside them.
// A condition has fields of many kinds: the page stands before they are there.
const RulesField = lazy(() => import("./rules-field.tsx"));
const TryRule = lazy(() => import("./try-rule.tsx"));
const UsedBy = lazy(() => import("./used-by.tsx"));

type Values = { name: string; message: string; rules: StoredRules };
type Body = NonNullable<BodyOf<typeof updateValidationRule>>;

const NEW: Version<Values> = { values: { name: "", message: "", rules: {} }, etag: null };
/** As the form would print them, so that opening and saving changes nothing. */
const versionOf = ({ body, etag }: { body: ValidationRule; etag: string | null }): Version<Values> => ({
  values: {
    name: body.name,
    message: body.error?.message ?? "",
    rules: printRules(parseRules(body.rules as StoredRules)),
  },
  etag,
});
const bodyOf = ({ message, rules, ...rest }: Partial<Values>): Body => ({
  ...rest,
  ...(rules !== undefined && { rules: rules as NonNullable<Body["rules"]> }),
  ...(message !== undefined && { error: message === "" ? null : { message } }),
});

/** Makes a rule, and gives it to what it was begun for. A rule that is there is not made again. */
async function create(send: SendStep, values: Values, of: Ruled | null): Promise<{ id: string }> {
  const body = { ...bodyOf(values), name: values.name };
  const { id } = await send(createValidationRule, { params: {}, body }, `rule ${JSON.stringify(body)}`);
  if (of === null) return { id };
  const assigned = { related_object_type: of.type, related_object_id: of.id };
  await send(assignValidationRule, { params: { validationRuleId: id }, body: assigned });
  return { id };
}

/** Says what a rule that is being made is for. */
function MadeFor({ of }: { of: Ruled }) {
  const t = useText();
  return (
    <Text size="sm" role="status">
      {t("conditions.usedFrom", { name: useRuled(of).name })}
    </Text>
  );
}

type EditorProps = {
  id: string | null;
  from: Version<Values>;
  traces: Traces;
  /** What stands there now, saved or not. */
  onEdit: (values: Values) => void;
  onSaved: () => void;
};

function Editor({ id, from, traces, onEdit, onSaved }: EditorProps) {
  const t = useText();
  const navigate = useNavigate();
  const [query] = useSearchParams();
  const of = id === null ? ruledIn(query.get("for")) : null;
  const unfinished = useRef(0);
  const state: FormState<Values> = useRecordForm<Values, { id: string }>({
    record: `validation-rule:${id ?? "new"}`,
    from,
    // To leave such a condition out would open the offer to everybody.
    validate: ({ name }) => ({
      ...(name.trim() === "" && { name: t("rules.nameMissing") }),
      ...(unfinished.current > 0 && { rules: t("rules.unfinished") }),
    }),
    save: async (send, changes, version) => {
      if (id !== null)
        return send(updateValidationRule, { params: { validationRuleId: id }, body: bodyOf(changes), ...version });
      return create(send, state.form.getValues(), of);
    },
    ...(id !== null && {
      readAgain: async () => versionOf(await sendFor(getValidationRule, { validationRuleId: id })),
    }),
    onSaved: (saved) => {
      notifyDone(t("kit.form.saved"));
      onSaved();
      if (id !== null || !saved) return;
      const search = new URLSearchParams(location.search);
      search.delete("for");
      void navigate({ pathname: `/rules/${saved.id}`, search: String(search) }, { replace: true });
    },
    onEdit,
  });
  const { form } = state;
  const labels = { name: t("rules.name"), message: t("rules.message"), rules: t("rules.conditions") };
  return (
    <Panel>
      <RecordForm state={state} labels={labels}>
        {of && <MadeFor of={of} />}
        <TextInput label={labels.name} required key={form.key("name")} {...form.getInputProps("name")} />
        <Suspense fallback={<LoadingRows />}>
          <RulesField
            key={form.key("rules")}
            label={labels.rules}
            traces={traces}
            onUnfinished={(count) => {
              unfinished.current = count;
            }}
            {...form.getInputProps("rules")}
          />
        </Suspense>
        <TextInput
          label={labels.message}
          description={t("rules.messageHelp")}
          key={form.key("message")}
          {...form.getInputProps("message")}
        />
      </RecordForm>
    </Panel>
  );
}

type PageProps = { id: string | null; rule: ValidationRule | null; from: Version<Values>; onSaved?: () => void };

function RulePage({ id, rule, from, onSaved = () => {} }: PageProps) {
  const t = useText();
  const can = useCan();
  const [cart, change] = useCart();
  const [edited, setEdited] = useState<Values | null>(null);
  const values = edited ?? from.values;
  const definition = { ...bodyOf(values), name: values.name || t("rules.new") };
  const { asked, isAlone } = useTrial({ rule, cart, definition, isEdited: edited !== null });
  const redeemables = asked.data ? [...asked.data.redeemables, ...(asked.data.inapplicable_redeemables ?? [])] : [];
  const ruleId = id ?? NEW_RULE;
  const traced = redeemables.flatMap(({ trace }) => trace?.rules ?? []).find((one) => one.id === ruleId);
  const traces: Traces = new Map(traced ? tracesIn(traced.trace) : []);
  return (
    <>
      <PageHead
        title={rule?.name ?? t("rules.new")}
        below={
          rule &&
          [
            ...(rule.applicable_to.included.length > 0 ? [t("rules.goods")] : []),
            ...(Object.keys(rule.bundle_rules).length > 0 ? [t("rules.bundle")] : []),
          ].join(" · ")
        }
      >
        {id !== null && <ShowAsCall operation={getValidationRule} params={{ validationRuleId: id }} />}
      </PageHead>
      <div className={classes.columns}>
        <div className={classes.side}>
          <Editor id={id} from={from} traces={traces} onEdit={setEdited} onSaved={onSaved} />
          {rule && can("listAssignmentsOfValidationRule") && (
            <Suspense fallback={<LoadingRows rows={2} />}>
              <UsedBy id={rule.id} name={rule.name} />
            </Suspense>
          )}
        </div>
        <Suspense fallback={<LoadingRows />}>
          <TryRule ruleId={id} {...{ cart, asked, isAlone }} isEdited={edited !== null} onChange={change} />
        </Suspense>
      </div>
    </>
  );
}

function SavedRule({ id }: { id: string }) {
  const t = useText();
  const read = useRecord(getValidationRule, { validationRuleId: id });
  // What was read first stays under the hands, until it is saved: a form is never changed by what others do.
  const [shown, setShown] = useState(read.data);
  useEffect(() => setShown((old) => old ?? read.data), [read.data]);
  if (shown)
    return (
      <RulePage
        key={`${shown.etag} ${shown.body.updated_at}`}
        id={id}
        rule={shown.body}
        from={versionOf(shown)}
        onSaved={() => void read.refetch().then(({ data }) => setShown((old) => data ?? old))}
      />
    );
  return (
    <>
      <PageHead title={read.error ? t("kit.failed") : t("kit.loading")} />
      {read.error ? <Failure error={read.error} retry={() => void read.refetch()} /> : <LoadingRows />}
    </>
  );
}

/** One rule: its conditions, and beside them a cart that shows what they see. */
export default function Rule() {
  const { validationRuleId } = useParams();
  if (validationRuleId === undefined) return <RulePage id={null} rule={null} from={NEW} />;
  return <SavedRule key={validationRuleId} id={validationRuleId} />;
}
