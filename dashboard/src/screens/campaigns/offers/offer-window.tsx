import { Divider, Modal, Stack, Switch, TextInput, Title } from "@mantine/core";
import { lazy, Suspense } from "react";
import {
  type Campaign,
  createPromotionTier,
  disablePromotionTier,
  enablePromotionTier,
  getPromotionTier,
  type PromotionTier,
  updatePromotionTier,
} from "../../../api/operations.gen.ts";
import { sendFor } from "../../../api/send.ts";
import { useCan } from "../../../api/session.ts";
import { useOp, useRecord } from "../../../api/use-op.ts";
import { Edited } from "../../../kit/form/edited.tsx";
import { PeriodField } from "../../../kit/form/period-field.tsx";
import { RecordForm } from "../../../kit/form/record-form.tsx";
import type { SendStep } from "../../../kit/form/steps.ts";
import { type RecordForm as RecordFormState, useRecordForm, type Version } from "../../../kit/form/use-record-form.ts";
import { LoadingRows } from "../../../kit/states/states.tsx";
import { notifyDone } from "../../../kit/undo/undo.tsx";
import { CategoryField } from "../../../registry/category-field.tsx";
import { AssignedRules } from "../../../registry/conditions/assigned-rules.tsx";
import { DiscountField } from "../../../registry/discount.ts";
import { useText } from "../../../text/text.ts";
import { NewRuleField } from "./new-rule-field.tsx";
import { NEW_OFFER, type OfferValues, offerChanges, offerFaults, offerValuesOf } from "./offer-values.ts";

const TimesField = lazy(() => import("../../../kit/form/times-field.tsx"));

type Saved = { id: string | null; campaign: Campaign };

/** Makes an offer, or sends what was changed of one. */
async function save(
  send: SendStep,
  of: Saved,
  edit: { values: OfferValues; changes: Partial<OfferValues> },
  version: object,
) {
  const { values, changes } = edit;
  if (of.id === null) {
    const { name: _, action: __, ...rest } = offerChanges(values);
    const { active, rule } = values;
    const action = { discount: offerChanges(values).action!.discount };
    const body = { ...rest, name: values.name.trim(), action, active, ...(rule && { validation_rules: [rule] }) };
    return send(createPromotionTier, { params: { campaignId: of.campaign.id }, body });
  }
  const params = { promotionTierId: of.id };
  const body = offerChanges(changes);
  if (Object.keys(body).length > 0)
    await send(updatePromotionTier, { params, body, ...version }, `update ${JSON.stringify(body)}`);
  const toggle = changes.active ? enablePromotionTier : disablePromotionTier;
  return changes.active === undefined ? null : send(toggle, { params });
}

type FieldsProps = Saved & { from: Version<OfferValues>; onDone: () => void };

function OfferFields({ id, campaign, from, onDone }: FieldsProps) {
  const t = useText();
  const can = useCan();
  const state: RecordFormState<OfferValues> = useRecordForm<OfferValues>({
    record: `promotion-tier:${id ?? `new:${campaign.id}`}`,
    from,
    validate: (typed) => offerFaults(typed, t),
    save: (send, changes, version) =>
      save(send, { id, campaign }, { values: state.form.getValues(), changes }, version),
    ...(id !== null && {
      readAgain: async () => versionOf(await sendFor(getPromotionTier, { promotionTierId: id })),
    }),
    onSaved: () => {
      notifyDone(t(id === null ? "offers.added" : "kit.form.saved"));
      onDone();
    },
  });
  const { form } = state;
  const bind = (field: keyof OfferValues) => form.getInputProps(field);
  const labels = {
    ...{ name: t("campaigns.offerName"), banner: t("campaigns.banner"), discount: t("campaigns.steps.offer") },
    ...{ active: t("offers.active"), category: t("conditions.category") },
    ...{ start_date: t("campaigns.starts"), expiration_date: t("campaigns.ends"), times: t("kit.times.title") },
  };
  return (
    <RecordForm state={state} labels={labels} {...(id === null && { saveText: t("campaigns.addOffer") })}>
      <TextInput key={form.key("name")} label={labels.name} required data-autofocus {...bind("name")} />
      <TextInput
        key={form.key("banner")}
        label={labels.banner}
        description={t("offers.bannerHelp")}
        {...bind("banner")}
      />
      <DiscountField key={form.key("discount")} {...bind("discount")} />
      <PeriodField
        start={{ fieldKey: form.key("start_date"), ...bind("start_date") }}
        end={{ fieldKey: form.key("expiration_date"), ...bind("expiration_date") }}
      />
      <Suspense fallback={<LoadingRows rows={2} />}>
        <TimesField key={form.key("times")} {...bind("times")} />
      </Suspense>
      {can("listCategories") && <CategoryField key={form.key("category")} {...bind("category")} />}
      {id === null && can("listValidationRules") && <NewRuleField key={form.key("rule")} {...bind("rule")} />}
      <Switch
        key={form.key("active")}
        label={labels.active}
        description={t("offers.activeHelp")}
        {...form.getInputProps("active", { type: "checkbox" })}
      />
    </RecordForm>
  );
}

const versionOf = ({ body, etag }: { body: PromotionTier; etag: string | null }): Version<OfferValues> => ({
  values: offerValuesOf(body),
  etag,
});

function SavedOffer({ id, campaign, onDone }: { id: string; campaign: Campaign; onDone: () => void }) {
  const t = useText();
  const can = useCan();
  const record = useRecord(getPromotionTier, { promotionTierId: id });
  // The rules change while the form stays as it is.
  const { data } = useOp(getPromotionTier, { promotionTierId: id });
  return (
    <Stack gap="lg">
      <Edited of={record}>{(read) => <OfferFields from={versionOf(read)} {...{ id, campaign, onDone }} />}</Edited>
      {data && can("getValidationRule") && (
        <>
          <Divider />
          <Title order={3}>{t("conditions.title")}</Title>
          <AssignedRules
            of={{ type: "promotion_tier", id }}
            assigned={data.validation_rule_assignments.data}
            none="conditions.noneOfItsOwn"
          />
        </>
      )}
    </Stack>
  );
}

type Props = { campaign: Campaign; id: string | null; onClose: () => void };

/** One offer over the list of them: a new one, or one that is changed. */
export default function OfferWindow({ campaign, id, onClose }: Props) {
  const t = useText();
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={t(id === null ? "campaigns.addOffer" : "offers.edit")}
      closeButtonProps={{ "aria-label": t("kit.close") }}
    >
      {id === null ? (
        <OfferFields id={null} campaign={campaign} from={{ values: NEW_OFFER, etag: null }} onDone={onClose} />
      ) : (
        <SavedOffer id={id} campaign={campaign} onDone={onClose} />
      )}
    </Modal>
  );
}
