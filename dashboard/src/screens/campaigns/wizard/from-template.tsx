import { TextInput } from "@mantine/core";
import { useRef } from "react";
import { useNavigate, useParams } from "react-router";
import type { AnswerOf } from "../../../api/op.ts";
import { createCampaignFromTemplate, type Discount, getCampaignTemplate } from "../../../api/operations.gen.ts";
import { useProject } from "../../../api/session.ts";
import { useOp } from "../../../api/use-op.ts";
import { Edited } from "../../../kit/form/edited.tsx";
import { PeriodField } from "../../../kit/form/period-field.tsx";
import { RecordForm } from "../../../kit/form/record-form.tsx";
import type { SendStep } from "../../../kit/form/steps.ts";
import { type RecordForm as RecordFormState, useRecordForm } from "../../../kit/form/use-record-form.ts";
import { NumberInput } from "../../../kit/later/fields.ts";
import { PageHead } from "../../../kit/page/page-head.tsx";
import { Panel } from "../../../kit/page/panel.tsx";
import { notifyDone } from "../../../kit/undo/undo.tsx";
import { campaignSentence } from "../../../registry/campaign-sentence.ts";
import { useText } from "../../../text/text.ts";
import { CreateOff } from "./create-off.tsx";
import classes from "./form.module.css";

type Template = AnswerOf<typeof getCampaignTemplate>;
/** What the server keeps of a campaign, as far as this page shows it. */
type Content = {
  campaign: { type: string };
  settings: {
    discount: Discount | null;
    gift: { amount: number } | null;
    quantity: number | null;
    start_date: string | null;
    expiration_date: string | null;
  };
  validation_rules: { name: string }[];
};
type Values = {
  name: string;
  start_date: string | null;
  expiration_date: string | null;
  vouchers_count: number | null;
  pattern: string;
};

const bodyOf = ({ name, start_date, expiration_date, vouchers_count, pattern }: Values) => ({
  ...{ name: name.trim(), start_date, expiration_date },
  ...(vouchers_count !== null && { vouchers_count }),
  ...(pattern.trim() !== "" && { voucher: { code_config: { pattern: pattern.trim() } } }),
});

/** Makes the campaign, switched off where that is wished. */
const make = (send: SendStep, template: Template, values: Values, isOff: boolean) => {
  const body = { ...bodyOf(values), ...(isOff && { active: false }) };
  return send(createCampaignFromTemplate, { params: { campaignTemplateId: template.id }, body });
};

function Setup({ template, content }: { template: Template; content: Content }) {
  const t = useText();
  const navigate = useNavigate();
  const { currency, timezone } = useProject();
  const { start_date, expiration_date, discount, gift, quantity } = content.settings;
  const isOff = useRef(false);
  const submit = (event?: React.FormEvent, isSwitchedOff = false) => {
    isOff.current = isSwitchedOff;
    return state.submit(event);
  };
  const isStatic = content.campaign.type === "STATIC";
  const first: Values = { name: "", start_date, expiration_date, vouchers_count: isStatic ? 100 : null, pattern: "" };
  const state: RecordFormState<Values> = useRecordForm<Values, { campaign: { id: string } }>({
    record: `campaign-of:${template.id}`,
    from: { values: first, etag: null },
    validate: ({ name, start_date: from, expiration_date: to }) => ({
      ...(name.trim() === "" && { name: t("kit.form.required") }),
      ...(from && to && Date.parse(from) >= Date.parse(to) && { expiration_date: t("campaigns.endsBefore") }),
    }),
    save: (send) => make(send, template, state.form.getValues(), isOff.current),
    onSaved: (made) => {
      if (made === null) return;
      notifyDone(t(isOff.current ? "campaigns.nowThereOff" : "campaigns.nowThere"));
      void navigate(`/campaigns/${made.campaign.id}`);
    },
  });
  const { form } = state;
  const offer = { kind: template.campaign_type, discount, gift: gift?.amount ?? null, uses: quantity };
  const rules = content.validation_rules.map(({ name }) => name);
  const count = form.getInputProps("vouchers_count");
  return (
    <>
      <p className={classes.sentence}>
        <small>{t("templates.gives")}</small>
        {campaignSentence(offer, { t, currency, zone: timezone })}
        {rules.length > 0 && <small>{t("templates.withRules", { names: rules.join(", ") })}</small>}
      </p>
      <Panel width={752}>
        <RecordForm
          state={{ ...state, submit }}
          saveText={t("campaigns.create")}
          beside={<CreateOff isBusy={state.isBusy} onClick={() => void submit(undefined, true)} />}
        >
          <TextInput key={form.key("name")} label={t("campaigns.name")} required {...form.getInputProps("name")} />
          <PeriodField
            start={{ fieldKey: form.key("start_date"), ...form.getInputProps("start_date") }}
            end={{ fieldKey: form.key("expiration_date"), ...form.getInputProps("expiration_date") }}
          />
          {isStatic && (
            <NumberInput
              key={form.key("vouchers_count")}
              label={t("campaigns.count")}
              min={0}
              maw={240}
              allowDecimal={false}
              {...count}
              defaultValue={count.defaultValue ?? ""}
              onChange={(typed) => count.onChange(typed === "" ? null : Number(typed))}
            />
          )}
          <TextInput
            key={form.key("pattern")}
            label={t("campaigns.pattern")}
            description={t("templates.patternHelp")}
            classNames={{ input: "mono" }}
            {...form.getInputProps("pattern")}
          />
        </RecordForm>
      </Panel>
    </>
  );
}

/** A campaign that a template makes: what the template does not say is asked for. */
export default function FromTemplate() {
  const t = useText();
  const { campaignTemplateId = "" } = useParams();
  const template = useOp(getCampaignTemplate, { campaignTemplateId, expand: "json_template" });
  return (
    <>
      <PageHead
        title={t("campaigns.new")}
        {...(template.data && { below: t("templates.from", { name: template.data.name }) })}
      />
      <Edited of={template}>
        {(read) => <Setup template={read} content={read.json_template as unknown as Content} />}
      </Edited>
    </>
  );
}
