import { Group, Pill, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { useNavigate, useParams } from "react-router";
import {
  createProductCollection,
  type FilterConditions,
  getProductCollection,
  type ProductCollection,
  previewProductCollection,
  updateProductCollection,
} from "../../api/operations.gen.ts";
import { sendFor } from "../../api/send.ts";
import { PRODUCTS } from "../../api/sources.ts";
import { useRecord } from "../../api/use-op.ts";
import { RecordForm } from "../../kit/form/record-form.tsx";
import { type RecordForm as RecordFormState, useRecordForm } from "../../kit/form/use-record-form.ts";
import { Select } from "../../kit/later/fields.ts";
import { Page } from "../../kit/page/page.tsx";
import { PageHead } from "../../kit/page/page-head.tsx";
import { type Option, RecordSelect } from "../../kit/pick/record-select.tsx";
import { notifyDone } from "../../kit/undo/undo.tsx";
import { filterOfRows, PRODUCT_FIELDS, rowsOfFilter } from "../../registry/filter/filter.ts";
import { FilterBuilder } from "../../registry/filter/filter-builder.tsx";
import { type PreviewOf, WithPreview } from "../../registry/filter/preview.tsx";
import { useText } from "../../text/text.ts";
import { TYPES } from "./types.ts";

const FITTING: PreviewOf<typeof previewProductCollection> = {
  operation: previewProductCollection,
  title: { exact: "collections.size", about: "collections.about" },
  namesOf: ({ products }) =>
    products.map((one) => ({
      id: one.id,
      name:
        "sku" in one ? [one.product.name, one.sku ?? one.source_id].filter(Boolean).join(" · ") : (one.name ?? one.id),
    })),
};

type Values = { name: string; type: ProductCollection["type"]; filter: FilterConditions; products: string[] };

const valuesOf = (collection: ProductCollection | null): Values => ({
  name: collection?.name ?? "",
  type: collection?.type ?? "AUTO_UPDATE",
  filter: collection?.filter ?? ({ junction: "and" } as FilterConditions),
  products: [],
});

/** Products, chosen one by one. */
function Chosen({ value, onChange }: { value: readonly Option[]; onChange: (next: Option[]) => void }) {
  const t = useText();
  return (
    <Stack gap="xs">
      <RecordSelect
        key={value.length}
        source={PRODUCTS}
        label={t("collections.add")}
        value={null}
        onChange={(one) => {
          if (one && !value.some(({ value: id }) => id === one.value)) onChange([...value, one]);
        }}
      />
      <Group gap="xs">
        {value.map((one) => (
          <Pill
            key={one.value}
            withRemoveButton
            removeButtonProps={{ "aria-label": t("collections.take", { name: one.label }) }}
            onRemove={() => onChange(value.filter(({ value: id }) => id !== one.value))}
          >
            {one.label}
          </Pill>
        ))}
      </Group>
    </Stack>
  );
}

function Fields({ collection, etag }: { collection: ProductCollection | null; etag: string | null }) {
  const t = useText();
  const navigate = useNavigate();
  const [rows, setRows] = useState(() => rowsOfFilter(collection?.filter ?? null, PRODUCT_FIELDS));
  const [type, setType] = useState(valuesOf(collection).type);
  const [chosen, setChosen] = useState<Option[]>([]);
  const state: RecordFormState<Values> = useRecordForm<Values, { id: string }>({
    record: `collection:${collection?.id ?? "new"}`,
    from: { values: valuesOf(collection), etag },
    validate: ({ name }) => (name.trim() === "" ? { name: t("kit.form.required") } : {}),
    save: async (send, changes, version) => {
      const { name, filter } = state.form.getValues();
      const { type: _, products: __, ...body } = changes;
      const products = chosen.map(({ value: id }) => ({ id, object: "product" as const }));
      return collection
        ? send(updateProductCollection, { params: { productCollectionId: collection.id }, body, ...version })
        : send(createProductCollection, {
            params: {},
            body: { name: name.trim(), type, ...(type === "STATIC" ? { products } : { filter }) },
          });
    },
    ...(collection && {
      readAgain: async () => {
        const answer = await sendFor(getProductCollection, { productCollectionId: collection.id });
        return { values: valuesOf(answer.body), etag: answer.etag };
      },
    }),
    onSaved: (saved) => {
      notifyDone(t("kit.form.saved"));
      void navigate(`/collections/${saved?.id ?? collection?.id}`);
    },
  });
  const { form } = state;
  return (
    <WithPreview of={FITTING} filter={type === "AUTO_UPDATE" ? filterOfRows(rows) : null}>
      <RecordForm state={state} labels={{ name: t("collections.name") }}>
        <TextInput key={form.key("name")} label={t("collections.name")} {...form.getInputProps("name")} />
        {collection === null && (
          <Select
            label={t("collections.type")}
            allowDeselect={false}
            data={Object.entries(TYPES).map(([value, text]) => ({ value, label: t(text) }))}
            value={type}
            onChange={(next) => {
              setType(next as Values["type"]);
              form.setFieldValue("type", next as never);
            }}
          />
        )}
        {type === "AUTO_UPDATE" && (
          <FilterBuilder
            fields={PRODUCT_FIELDS}
            value={rows}
            onChange={(next) => {
              setRows(next);
              form.setFieldValue("filter", filterOfRows(next) as never);
            }}
          />
        )}
        {type === "STATIC" && collection === null && (
          <Chosen
            value={chosen}
            onChange={(next) => {
              setChosen(next);
              form.setFieldValue("products", next.map(({ value }) => value) as never);
            }}
          />
        )}
      </RecordForm>
    </WithPreview>
  );
}

function EditCollection({ productCollectionId }: { productCollectionId: string }) {
  const collection = useRecord(getProductCollection, { productCollectionId });
  return (
    <Page of={collection} title={({ body }) => body.name} call={[getProductCollection, { productCollectionId }]}>
      {({ body, etag }) => <Fields collection={body} etag={etag} />}
    </Page>
  );
}

export default function CollectionForm() {
  const t = useText();
  const { productCollectionId } = useParams();
  if (productCollectionId !== undefined) return <EditCollection productCollectionId={productCollectionId} />;
  return (
    <>
      <PageHead title={t("collections.new")} />
      <Fields collection={null} etag={null} />
    </>
  );
}
