import { Stack, Switch, Textarea, TextInput } from "@mantine/core";
import { useNavigate, useParams } from "react-router";
import { createWebhook, getWebhook, updateWebhook, type Webhook } from "../../api/operations.gen.ts";
import { sendFor } from "../../api/send.ts";
import { useProject } from "../../api/session.ts";
import { useRecord } from "../../api/use-op.ts";
import { RecordForm } from "../../kit/form/record-form.tsx";
import { type RecordForm as RecordFormState, useRecordForm, type Version } from "../../kit/form/use-record-form.ts";
import { PageHead } from "../../kit/page/page-head.tsx";
import { Panel } from "../../kit/page/panel.tsx";
import { Failure, LoadingRows } from "../../kit/states/states.tsx";
import { notifyDone } from "../../kit/undo/undo.tsx";
import { useText } from "../../text/text.ts";
import { EventPicker } from "./event-picker.tsx";
import type { EventType } from "./event-types.ts";

type Values = { target_url: string; events: EventType[]; active: boolean; headers: string };

const NEW: Version<Values> = { values: { target_url: "", events: [], active: true, headers: "" }, etag: null };

/** `Name: value`, a line for each. */
const linesOf = (headers: Webhook["headers"]) =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");
const LINE = /^\s*([\w-]+)\s*:\s*(.*?)\s*$/;
const linesIn = (text: string) => text.split("\n").filter((line) => line.trim() !== "");
const headersIn = (text: string): Webhook["headers"] =>
  Object.fromEntries(linesIn(text).map((line) => [LINE.exec(line)![1]!.toLowerCase(), LINE.exec(line)![2]!]));

const versionOf = ({ body, etag }: { body: Webhook; etag: string | null }): Version<Values> => {
  const { target_url, events, active, headers } = body;
  return { values: { target_url, events, active, headers: linesOf(headers) }, etag };
};

function Fields({ webhookId, from }: { webhookId: string | null; from: Version<Values> }) {
  const t = useText();
  const navigate = useNavigate();
  const { id: projectId } = useProject();
  const state: RecordFormState<Values> = useRecordForm<Values>({
    record: `webhook:${webhookId ?? "new"}`,
    from,
    validate: (values) => ({
      ...(!/^https?:\/\/\S+$/.test(values.target_url) && { target_url: t("developers.badUrl") }),
      ...(values.events.length === 0 && { events: t("developers.noEvents") }),
      ...(linesIn(values.headers).some((line) => !LINE.test(line)) && { headers: t("developers.badHeaders") }),
    }),
    save: async (send, _, version) => {
      // A webhook is replaced as a whole: its address and its events must be sent.
      const { headers, ...values } = state.form.getValues();
      const body = { ...values, headers: headersIn(headers) };
      return webhookId === null
        ? send(createWebhook, { params: { projectId }, body })
        : send(updateWebhook, { params: { projectId, webhookId }, body, ...version });
    },
    ...(webhookId !== null && {
      readAgain: async () => versionOf(await sendFor(getWebhook, { projectId, webhookId })),
    }),
    onSaved: () => {
      notifyDone(t("kit.form.saved"));
      void navigate(webhookId === null ? "/webhooks" : `/webhooks/${webhookId}`);
    },
  });
  const { form } = state;
  const labels = {
    target_url: t("developers.target"),
    events: t("developers.events"),
    active: t("developers.active"),
    headers: t("developers.headers"),
  };
  return (
    <Panel width={752}>
      <RecordForm state={state} labels={labels}>
        <TextInput
          label={labels.target_url}
          description={t("developers.targetHelp")}
          type="url"
          placeholder="https://"
          required
          key={form.key("target_url")}
          {...form.getInputProps("target_url")}
        />
        <Switch
          label={labels.active}
          key={form.key("active")}
          {...form.getInputProps("active", { type: "checkbox" })}
        />
        <EventPicker key={form.key("events")} label={labels.events} {...form.getInputProps("events")} />
        <Textarea
          label={labels.headers}
          description={t("developers.headersHelp")}
          autosize
          minRows={2}
          classNames={{ input: "mono" }}
          key={form.key("headers")}
          {...form.getInputProps("headers")}
        />
      </RecordForm>
    </Panel>
  );
}

function EditWebhook({ webhookId }: { webhookId: string }) {
  const { id: projectId } = useProject();
  const { data, error, refetch } = useRecord(getWebhook, { projectId, webhookId });
  if (data) return <Fields webhookId={webhookId} from={versionOf(data)} />;
  return error ? <Failure error={error} retry={() => void refetch()} /> : <LoadingRows />;
}

export default function WebhookForm() {
  const t = useText();
  const { webhookId } = useParams();
  return (
    <Stack gap={0}>
      <PageHead title={t(webhookId === undefined ? "developers.newWebhook" : "developers.editWebhook")} />
      {webhookId === undefined ? <Fields webhookId={null} from={NEW} /> : <EditWebhook webhookId={webhookId} />}
    </Stack>
  );
}
