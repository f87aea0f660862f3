import { Button, Switch, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "react-router";
import {
  createCustomEventSchema,
  createMetadataSchema,
  deleteCustomEventSchema,
  deleteMetadataSchema,
  getCustomEventSchema,
  getProjectMetadataSchema,
  updateCustomEventSchema,
  updateMetadataSchema,
} from "../../api/operations.gen.ts";
import { send, sendFor } from "../../api/send.ts";
import { useCan, useProject } from "../../api/session.ts";
import { askAgainAfter, useRecord } from "../../api/use-op.ts";
import { confirm } from "../../kit/confirm/confirm.ts";
import { RecordForm } from "../../kit/form/record-form.tsx";
import { useRecordForm, type Version } from "../../kit/form/use-record-form.ts";
import { PageHead } from "../../kit/page/page-head.tsx";
import { Panel } from "../../kit/page/panel.tsx";
import { Loaded } from "../../kit/states/loaded.tsx";
import { notifyDone, notifyFailed } from "../../kit/undo/undo.tsx";
import { useText } from "../../text/text.ts";
import { SettingsFrame } from "./frame.tsx";
import { type Properties, PropertiesField } from "./properties.tsx";

type Values = { name: string; properties: Properties; allow_defined_only: boolean };
type Kind = "metadata" | "events";
const NEW: Version<Values> = { values: { name: "", properties: {}, allow_defined_only: false }, etag: null };
const TYPES = {
  metadata: ["string", "number", "boolean", "date", "datetime", "geopoint", "image_url", "object"],
  events: ["string", "number", "boolean", "date", "datetime"],
} as const;
/** The two kinds differ in their operations and in the form of their bodies only. */
const OPERATIONS = {
  metadata: { update: updateMetadataSchema, create: createMetadataSchema, remove: deleteMetadataSchema },
  events: { update: updateCustomEventSchema, create: createCustomEventSchema, remove: deleteCustomEventSchema },
} as const;

function paramsOf(kind: Kind, projectId: string, id: string) {
  return kind === "metadata" ? { projectId, metadataSchemaId: id } : { projectId, customEventSchemaId: id };
}

function bodyOf(kind: Kind, { name, properties, allow_defined_only }: Partial<Values>) {
  if (kind === "events") return { ...(name && { name }), ...(properties && { schema: { properties } }) };
  return {
    ...(name && { related_object: name }),
    ...(properties && { properties }),
    ...(allow_defined_only !== undefined && { allow_defined_only }),
  };
}

type Read = { related_object?: string; name?: string; properties?: object; schema?: { properties: object } };
const versionOf = ({ body, etag }: { body: Read & { allow_defined_only?: boolean }; etag: string | null }) => ({
  values: {
    name: body.related_object ?? body.name ?? "",
    properties: (body.properties ?? body.schema?.properties ?? {}) as Properties,
    allow_defined_only: body.allow_defined_only ?? false,
  },
  etag,
});
const getterOf = (kind: Kind) => (kind === "metadata" ? getProjectMetadataSchema : getCustomEventSchema) as never;

function Fields({ kind, id, from }: { kind: Kind; id: string | null; from: Version<Values> }) {
  const t = useText();
  const navigate = useNavigate();
  const _client = useQueryClient();
  const { id: projectId } = useProject();
  const { update, create } = OPERATIONS[kind];
  const state = useRecordForm<Values>({
    record: `schema:${kind}:${id ?? "new"}`,
    from,
    validate: ({ name }) => (name.trim() === "" ? { name: t("kit.form.required") } : {}),
    save: async (sendStep, changes, version) => {
      const whole = id === null ? { properties: {}, ...changes } : changes;
      const body = bodyOf(kind, whole) as never;
      return id === null
        ? sendStep(create as typeof createMetadataSchema, { params: { projectId }, body })
        : sendStep(update as typeof updateMetadataSchema, {
            ...{ params: paramsOf(kind, projectId, id) as never, body, ...version },
          });
    },
    ...(id !== null && {
      readAgain: async () => versionOf(await sendFor(getterOf(kind), paramsOf(kind, projectId, id) as never)),
    }),
    onSaved: () => {
      notifyDone(t("kit.form.saved"));
      void navigate("/settings/schemas");
    },
  });
  const { form } = state;
  return (
    <Panel width={752}>
      <RecordForm state={state}>
        <TextInput
          label={t(kind === "metadata" ? "settings.relatedObject" : "settings.eventName")}
          description={t(kind === "metadata" ? "settings.relatedObjectHelp" : "settings.eventNameHelp")}
          required
          readOnly={id !== null}
          key={form.key("name")}
          {...form.getInputProps("name")}
        />
        <PropertiesField
          label={t("settings.properties")}
          types={TYPES[kind]}
          hasArrays={kind === "metadata"}
          key={form.key("properties")}
          {...form.getInputProps("properties")}
        />
        {kind === "metadata" && (
          <Switch
            label={t("settings.definedOnly")}
            key={form.key("allow_defined_only")}
            {...form.getInputProps("allow_defined_only", { type: "checkbox" })}
          />
        )}
      </RecordForm>
    </Panel>
  );
}

function ExistingSchema({ kind, id }: { kind: Kind; id: string }) {
  const t = useText();
  const can = useCan();
  const navigate = useNavigate();
  const client = useQueryClient();
  const { id: projectId } = useProject();
  const params = paramsOf(kind, projectId, id);
  const schema = useRecord(getterOf(kind), params as never);
  const { remove } = OPERATIONS[kind];
  const erase = async ({ name, properties }: Values) => {
    const act = t("settings.deleteSchema", { name });
    const fields = t("settings.schemaFields", { count: Object.keys(properties).length });
    const says = `${fields} ${t("settings.deleteSchemaSays")}`;
    if (!(await confirm({ title: act, says, act, isDangerous: true }))) return;
    try {
      await send(remove as typeof deleteMetadataSchema, params as never);
      await askAgainAfter(client, remove);
      notifyDone(t("settings.schemaDeleted"));
      void navigate("/settings/schemas");
    } catch (error) {
      notifyFailed(error);
    }
  };
  return (
    <Loaded of={schema}>
      {(answer) => {
        const from = versionOf(answer as never);
        return (
          <>
            <PageHead title={from.values.name}>
              {can(remove.id) && (
                <Button variant="default" onClick={() => void erase(from.values)}>
                  {t("settings.delete")}
                </Button>
              )}
            </PageHead>
            <Fields kind={kind} id={id} from={from} />
          </>
        );
      }}
    </Loaded>
  );
}

export default function SchemaPage() {
  const t = useText();
  const { kind: asked, schemaId } = useParams();
  const kind: Kind = asked === "events" ? "events" : "metadata";
  return (
    <SettingsFrame>
      {schemaId === undefined || schemaId === "new" ? (
        <>
          <PageHead title={t("settings.addSchema")} />
          <Fields kind={kind} id={null} from={NEW} />
        </>
      ) : (
        <ExistingSchema kind={kind} id={schemaId} />
      )}
    </SettingsFrame>
  );
}
