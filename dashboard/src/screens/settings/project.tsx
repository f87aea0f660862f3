import { Stack, Switch, Textarea, TextInput, Title } from "@mantine/core";
import { getProject, type Project, updateProject } from "../../api/operations.gen.ts";
import { type Answer, send, sendFor } from "../../api/send.ts";
import { getSession, signedIn, useCan, useProject } from "../../api/session.ts";
import { useRecord } from "../../api/use-op.ts";
import { ShowAsCall } from "../../kit/call/show-as-call.tsx";
import { Edited } from "../../kit/form/edited.tsx";
import { RecordForm } from "../../kit/form/record-form.tsx";
import { useRecordForm, type Version } from "../../kit/form/use-record-form.ts";
import { Select, TagsInput } from "../../kit/later/fields.ts";
import { PageHead } from "../../kit/page/page-head.tsx";
import { Panel } from "../../kit/page/panel.tsx";
import { notifyDone } from "../../kit/undo/undo.tsx";
import { useText } from "../../text/text.ts";
import { SettingsFrame } from "./frame.tsx";

const SWITCHES = [
  "client_redeem_enabled",
  "client_publish_enabled",
  "client_list_vouchers_enabled",
  "client_create_customer_enabled",
  "client_loyalty_events_enabled",
  "client_set_voucher_expiration_date_enabled",
] as const;
const TEXTS = ["name", "description", "timezone", "currency", "dial_code", "client_trusted_domains"] as const;
type Values = Pick<Project, (typeof SWITCHES)[number] | (typeof TEXTS)[number]>;

const versionOf = ({ body, etag }: Answer<Project>): Version<Values> => ({
  values: Object.fromEntries([...TEXTS, ...SWITCHES].map((name) => [name, body[name]])) as Values,
  etag,
});

const names = (key: "timeZone" | "currency", own: string) => [...new Set([own, ...Intl.supportedValuesOf(key), "UTC"])];

function Fields({ from, again }: { from: Version<Values>; again: () => void }) {
  const t = useText();
  const can = useCan();
  const { id: projectId } = useProject();
  const state = useRecordForm<Values>({
    record: `project:${projectId}`,
    from,
    validate: ({ name }) => (name.trim() === "" ? { name: t("kit.form.required") } : {}),
    save: (sendStep, body, version) => sendStep(updateProject, { params: { projectId }, body, ...version }),
    readAgain: async () => versionOf(await sendFor(getProject, { projectId })),
    onSaved: async () => {
      notifyDone(t("kit.form.saved"));
      again();
      // The name, the currency and the zone of the whole page come with the session.
      signedIn(await send(getSession, {}));
    },
  });
  const { form } = state;
  const labels = Object.fromEntries([...TEXTS, ...SWITCHES].map((name) => [name, t(`settings.fields.${name}`)]));
  const field = (name: keyof Values) => ({ key: form.key(name), label: labels[name], ...form.getInputProps(name) });
  const { key: nameKey, ...nameField } = field("name");
  const { key: aboutKey, ...aboutField } = field("description");
  const { key: zoneKey, ...zoneField } = field("timezone");
  const { key: currencyKey, ...currencyField } = field("currency");
  const { key: dialKey, ...dialField } = field("dial_code");
  const { key: domainsKey, ...domainsField } = field("client_trusted_domains");
  return (
    <Panel width={752}>
      <RecordForm state={state} labels={labels}>
        <fieldset disabled={!can("updateProject")} style={{ border: 0, margin: 0, padding: 0 }}>
          <Stack gap="lg">
            <TextInput key={nameKey} required {...nameField} />
            <Textarea key={aboutKey} autosize {...aboutField} />
            <Select
              key={zoneKey}
              data={names("timeZone", from.values.timezone)}
              searchable
              allowDeselect={false}
              description={t("settings.zoneHelp")}
              {...zoneField}
            />
            <Select
              key={currencyKey}
              data={names("currency", from.values.currency)}
              searchable
              allowDeselect={false}
              description={t("settings.currencyHelp")}
              {...currencyField}
            />
            <TextInput key={dialKey} placeholder="+49" {...dialField} />
            <Title order={2}>{t("settings.client")}</Title>
            <TagsInput key={domainsKey} description={t("settings.domainsHelp")} {...domainsField} />
            {SWITCHES.map((name) => (
              <Switch key={form.key(name)} label={labels[name]} {...form.getInputProps(name, { type: "checkbox" })} />
            ))}
          </Stack>
        </fieldset>
      </RecordForm>
    </Panel>
  );
}

export default function ProjectSettings() {
  const t = useText();
  const { id: projectId } = useProject();
  const project = useRecord(getProject, { projectId });
  return (
    <SettingsFrame>
      <PageHead title={t("settings.project")} below={projectId}>
        <ShowAsCall operation={getProject} params={{ projectId }} />
      </PageHead>
      <Edited of={project}>{(answer, again) => <Fields from={versionOf(answer)} again={again} />}</Edited>
    </SettingsFrame>
  );
}
