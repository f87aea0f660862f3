import { Divider, Modal, Stack, Switch, TextInput, Title } from "@mantine/core";
import { lazy, Suspense, useRef } from "react";
import { type Campaign, getPromotionTier, type PromotionTier } from "../../../api/operations.gen.ts";
import { sendFor } from "../../../api/send.ts";
import { useCan } from "../../../api/session.ts";
import { useOp, useRecord } from "../../../api/use-op.ts";
import { Edited } from "../../../kit/form/edited.tsx";
import { PeriodField } from "../../../kit/form/period-field.tsx";
import { RecordForm } from "../../../kit/form/record-form.tsx";
import { type RecordForm as RecordFormState, useRecordForm, type Version } from "../../../kit/form/use-record-form.ts";
import { LoadingRows } from "../../../kit/states/states.tsx";
import { notifyDone } from "../../../kit/undo/undo.tsx";
import { CategoryField } from "../../../registry/category-field.tsx";
import { AssignedRules } from "../../../registry/conditions/assigned-rules.tsx";
import { useText } from "../../../text/text.ts";
import { DiscountOnGoods } from "../goods/discount-on-goods.tsx";
import { readGoods, useGoods } from "../goods/use-goods.ts";
import type { Found } from "../goods/values.ts";
import { NewRuleField } from "./new-rule-field.tsx";
import { NEW_OFFER, OFFER_PATHS, type OfferValues, offerFaults, offerValuesOf } from "./offer-values.ts";
import { type SavedOffer as Saved, saveOffer } from "./save-offer.ts";

const TimesField = lazy(() => import("../../../kit/form/times-field.tsx"));

/** What choosing products may take. */
const RULE_WRITES = [
  ...["createValidationRule", "assignValidationRule", "updateValidationRule", "deleteValidationRuleAssignment"],
];

type FieldsProps = Omit<Saved, "place"> & { from: Version<OfferValues>; place?: Found["place"]; onDone: () => void };

function OfferFields({ id, campaign, from, place = { kind: "new" }, onDone }: FieldsProps) {
  const t = useText();
  const can = useCan();
  // As it was last read: rules come and go below this form, and others make some too.
  const lastPlace = useRef(place);
  const state: RecordFormState<OfferValues> = useRecordForm<OfferValues>({
    record: `promotion-tier:${id ?? `new:${campaign.id}`}`,
    from,
    validate: (typed) => offerFaults(typed, from.values, t),
    paths: OFFER_PATHS,
    save: (send, changes, version) =>
      saveOffer(
        send,
        { id, campaign, place: lastPlace.current },
        { values: state.form.getValues(), changes, goodsWord: labels.goods },
        version,
      ),
    ...(id !== null && {
      readAgain: async () => {
        const read = await sendFor(getPromotionTier, { promotionTierId: id });
        const found = (await readGoods([ownerOf(read.body)], can)).get(id)!;
        lastPlace.current = found.place;
        return versionOf(read, found);
      },
      beside: ["goods"],
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
    ...{ goods: t("goods.title"), active: t("offers.active"), category: t("conditions.category") },
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
      <DiscountOnGoods
        key={`${form.key("discount")} ${form.key("goods")}`}
        discount={bind("discount")}
        goods={bind("goods")}
        place={RULE_WRITES.every(can) ? lastPlace.current : null}
      />
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

const ownerOf = ({ id, validation_rule_assignments: { data } }: PromotionTier) => ({ id, assigned: data });
type Read = { body: PromotionTier; etag: string | null };
const versionOf = ({ body, etag }: Read, { goods }: Found): Version<OfferValues> => ({
  values: offerValuesOf(body, goods),
  etag,
});

/** The form of an offer, once its products are there. */
function ReadOffer({ read, ...rest }: { read: Read } & Omit<FieldsProps, "from" | "place">) {
  const { data, isFetching } = useGoods([ownerOf(read.body)]);
  const found = useRef<Found>(undefined);
  if (!isFetching) found.current ??= data?.get(read.body.id);
  if (!found.current) return <LoadingRows />;
  return <OfferFields from={versionOf(read, found.current)} place={found.current.place} {...rest} />;
}

function SavedOffer({ id, campaign, onDone }: { id: string; campaign: Campaign; onDone: () => void }) {
  const t = useText();
  const can = useCan();
  const record = useRecord(getPromotionTier, { promotionTierId: id });
  // The rules change while the form stays as it is.
  const { data } = useOp(getPromotionTier, { promotionTierId: id });
  return (
    <Stack gap="lg">
      <Edited of={record}>{(read) => <ReadOffer read={read} {...{ id, campaign, onDone }} />}</Edited>
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
