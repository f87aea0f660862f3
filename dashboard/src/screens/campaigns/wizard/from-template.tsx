import { TextInput } from "@mantine/core";
import { useNavigate, useParams } from "react-router";
import type { AnswerOf } from "../../../api/op.ts";
import { createCampaignFromTemplate, type Discount, getCampaignTemplate } from "../../../api/operations.gen.ts";
import { useProject } from "../../../api/session.ts";
import { useOp } from "../../../api/use-op.ts";
import { Edited } from "../../../kit/form/edited.tsx";
import { PeriodField } from "../../../kit/form/period-field.tsx";
import { RecordForm } from "../../../kit/form/record-form.tsx";
import { type RecordForm as RecordFormState, useRecordForm } from "../../../kit/form/use-record-form.ts";
import { NumberInput } from "../../../kit/later/fields.ts";
import { PageHead } from "../../../kit/page/page-head.tsx";
import { Panel } from "../../../kit/page/panel.tsx";
import { notifyDone } from "../../../kit/undo/undo.tsx";
import { campaignSentence } from "../../../registry/campaign-sentence.ts";
import { useText } from "../../../text/text.ts";
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

function Setup({ template, content }: { template: Template; content: Content }) {
  const t = useText();
  const navigate = useNavigate();
  const { currency, timezone } = useProject();
  const { start_date, expiration_date, discount, gift, quantity } = content.settings;
  const isStatic = content.campaign.type === "STATIC";
  const first: Values = { name: "", start_date, expiration_date, vouchers_count: isStatic ? 100 : null, pattern: "" };
  const state: RecordFormState<Values> = useRecordForm<Values, { campaign: { id: string } }>({
    record: `campaign-of:${template.id}`,
    from: { values: first, etag: null },
    validate: ({ name, start_date: from, expiration_date: to }) => ({
      ...(name.trim() === "" && { name: t("kit.form.required") }),
      ...(from && to && Date.parse(from) >= Date.parse(to) && { expiration_date: t("campaigns.endsBefore") }),
    }),
    save: async (send) => {
      const typed = state.form.getValues();
      const body = {
        ...{ name: typed.name.trim(), start_date: typed.start_date, expiration_date: typed.expiration_date },
        ...(typed.vouchers_count !== null && { vouchers_count: typed.vouchers_count }),
        ...(typed.pattern.trim() !== "" && { voucher: { code_config: { pattern: typed.pattern.trim() } } }),
      };
      return send(createCampaignFromTemplate, { params: { campaignTemplateId: template.id }, body });
    },
    onSaved: (made) => {
      if (made === null) return;
      notifyDone(t("campaigns.nowThere"));
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
        <RecordForm state={state} saveText={t("campaigns.create")}>
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
