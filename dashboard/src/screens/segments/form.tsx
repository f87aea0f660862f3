import { TextInput } from "@mantine/core";
import { useState } from "react";
import { useNavigate, useParams } from "react-router";
import {
  createSegment,
  type FilterConditions,
  getSegment,
  previewSegment,
  type Segment,
  updateSegment,
} from "../../api/operations.gen.ts";
import { sendFor } from "../../api/send.ts";
import { useRecord } from "../../api/use-op.ts";
import { RecordForm } from "../../kit/form/record-form.tsx";
import { type RecordForm as RecordFormState, useRecordForm } from "../../kit/form/use-record-form.ts";
import { Select, TagsInput } from "../../kit/later/fields.ts";
import { Page } from "../../kit/page/page.tsx";
import { PageHead } from "../../kit/page/page-head.tsx";
import { notifyDone } from "../../kit/undo/undo.tsx";
import { CUSTOMER_FIELDS, filterOfRows, rowsOfFilter } from "../../registry/filter/filter.ts";
import { FilterBuilder } from "../../registry/filter/filter-builder.tsx";
import { type PreviewOf, WithPreview } from "../../registry/filter/preview.tsx";
import { useText } from "../../text/text.ts";
import { TYPES } from "./types.ts";

const FITTING: PreviewOf<typeof previewSegment> = {
  operation: previewSegment,
  title: { exact: "segments.size", about: "segments.about" },
  namesOf: ({ customers }) =>
    customers.map(({ id, name, email, source_id }) => ({
      id,
      name: [name, email ?? source_id].filter(Boolean).join(" · ") || id,
    })),
};

type Values = { name: string; type: Segment["type"]; filter: FilterConditions; customers: string[] };

const valuesOf = (segment: Segment | null): Values => ({
  name: segment?.name ?? "",
  type: segment?.type ?? "auto-update",
  filter: segment?.filter ?? ({ junction: "and" } as FilterConditions),
  customers: [],
});

function Fields({ segment, etag }: { segment: Segment | null; etag: string | null }) {
  const t = useText();
  const navigate = useNavigate();
  const [rows, setRows] = useState(() => rowsOfFilter(segment?.filter ?? null, CUSTOMER_FIELDS));
  const [type, setType] = useState(valuesOf(segment).type);
  const state: RecordFormState<Values> = useRecordForm<Values, { id: string }>({
    record: `segment:${segment?.id ?? "new"}`,
    from: { values: valuesOf(segment), etag },
    validate: ({ name }) => (name.trim() === "" ? { name: t("kit.form.required") } : {}),
    save: async (send, changes, version) => {
      const { name, filter, customers } = state.form.getValues();
      const { type: _, customers: __, ...body } = changes;
      return segment
        ? send(updateSegment, { params: { segmentId: segment.id }, body, ...version })
        : send(createSegment, {
            params: {},
            body: { name: name.trim(), type, ...(type === "static" ? { customers } : { filter }) },
          });
    },
    ...(segment && {
      readAgain: async () => {
        const answer = await sendFor(getSegment, { segmentId: segment.id });
        return { values: valuesOf(answer.body), etag: answer.etag };
      },
    }),
    onSaved: (saved) => {
      notifyDone(t("kit.form.saved"));
      void navigate(`/segments/${saved?.id ?? segment?.id}`);
    },
  });
  const { form } = state;
  const filter = filterOfRows(rows);
  const isFiltered = type !== "static";
  return (
    <WithPreview of={FITTING} filter={isFiltered ? filter : null}>
      <RecordForm state={state} labels={{ name: t("segments.name"), filter: t("segments.who") }}>
        <TextInput key={form.key("name")} label={t("segments.name")} {...form.getInputProps("name")} />
        {segment === null && (
          <Select
            label={t("segments.type")}
            description={t("segments.typeHelp")}
            allowDeselect={false}
            data={Object.entries(TYPES).map(([value, text]) => ({ value, label: t(text) }))}
            value={type}
            onChange={(next) => {
              setType(next as Segment["type"]);
              form.setFieldValue("type", next as never);
            }}
          />
        )}
        {isFiltered ? (
          <FilterBuilder
            fields={CUSTOMER_FIELDS}
            value={rows}
            onChange={(next) => {
              setRows(next);
              form.setFieldValue("filter", filterOfRows(next) as never);
            }}
          />
        ) : (
          segment === null && (
            <TagsInput
              key={form.key("customers")}
              label={t("segments.customers")}
              description={t("segments.customersHelp")}
              acceptValueOnBlur
              {...form.getInputProps("customers")}
            />
          )
        )}
      </RecordForm>
    </WithPreview>
  );
}

function EditSegment({ segmentId }: { segmentId: string }) {
  const segment = useRecord(getSegment, { segmentId });
  return (
    <Page of={segment} title={({ body }) => body.name} call={[getSegment, { segmentId }]}>
      {({ body, etag }) => <Fields segment={body} etag={etag} />}
    </Page>
  );
}

export default function SegmentForm() {
  const t = useText();
  const { segmentId } = useParams();
  if (segmentId !== undefined) return <EditSegment segmentId={segmentId} />;
  return (
    <>
      <PageHead title={t("segments.new")} />
      <Fields segment={null} etag={null} />
    </>
  );
}
