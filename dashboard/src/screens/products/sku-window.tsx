import { Modal, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { createSku, getSku, type Product, type Sku, updateSku } from "../../api/operations.gen.ts";
import { type Answer, sendFor } from "../../api/send.ts";
import { useRecord } from "../../api/use-op.ts";
import { Edited } from "../../kit/form/edited.tsx";
import { MoneyField } from "../../kit/form/money-field.tsx";
import { RecordForm } from "../../kit/form/record-form.tsx";
import { useRecordForm, type Version } from "../../kit/form/use-record-form.ts";
import { notifyDone } from "../../kit/undo/undo.tsx";
import { useText } from "../../text/text.ts";

type Attributes = Record<string, unknown>;
type Values = { sku: string; source_id: string; price: number | null; attributes: Attributes };
const NEW: Version<Values> = { values: { sku: "", source_id: "", price: null, attributes: {} }, etag: null };

const versionOf = ({ body: { sku, source_id, price, attributes }, etag }: Answer<Sku>): Version<Values> => ({
  values: { sku: sku ?? "", source_id: source_id ?? "", price: price ?? null, attributes: attributes ?? {} },
  etag,
});

type AttributesProps = {
  names: readonly string[];
  defaultValue?: Attributes;
  onChange?: (attributes: Attributes) => void;
};
/** A value for each attribute that the product has. */
function AttributeFields({ names, defaultValue = {}, onChange }: AttributesProps) {
  const [attributes, setAttributes] = useState(defaultValue);
  const put = (next: Attributes) => {
    setAttributes(next);
    onChange?.(next);
  };
  return names.map((name) => (
    <TextInput
      key={name}
      label={name}
      value={String(attributes[name] ?? "")}
      onChange={({ currentTarget: { value } }) => put({ ...attributes, [name]: value })}
    />
  ));
}

type FieldsProps = { product: Product; id: string | null; from: Version<Values>; onClose: () => void };

function Fields({ product, id, from, onClose }: FieldsProps) {
  const t = useText();
  const state = useRecordForm<Values>({
    record: `sku:${id ?? `new:${product.id}`}`,
    from,
    validate: ({ sku }) => (sku.trim() === "" ? { sku: t("kit.form.required") } : {}),
    save: async (send, { source_id, ...changes }, version) => {
      const body = { ...changes, ...(changes.sku !== undefined && { sku: changes.sku.trim() }) };
      return id === null
        ? send(createSku, { params: { productId: product.id }, body: { ...body, ...(source_id && { source_id }) } })
        : send(updateSku, { params: { productId: product.id, skuId: id }, body, ...version });
    },
    ...(id !== null && { readAgain: async () => versionOf(await sendFor(getSku, { skuId: id })) }),
    onSaved: () => {
      notifyDone(t("kit.form.saved"));
      onClose();
    },
  });
  const { form } = state;
  const labels = { sku: t("products.name"), price: t("products.price"), attributes: t("products.attributes") };
  return (
    <RecordForm state={state} labels={labels}>
      <TextInput key={form.key("sku")} label={labels.sku} data-autofocus {...form.getInputProps("sku")} />
      {id === null && (
        <TextInput key={form.key("source_id")} label={t("products.sourceId")} {...form.getInputProps("source_id")} />
      )}
      <MoneyField
        key={form.key("price")}
        label={labels.price}
        description={t("products.skuPriceHelp")}
        {...form.getInputProps("price")}
      />
      {product.attributes.length > 0 && (
        <Stack gap="lg">
          <AttributeFields
            key={form.key("attributes")}
            names={product.attributes}
            {...form.getInputProps("attributes")}
          />
        </Stack>
      )}
    </RecordForm>
  );
}

function SavedSku({ id, ...props }: Omit<FieldsProps, "id" | "from"> & { id: string }) {
  const sku = useRecord(getSku, { skuId: id });
  return <Edited of={sku}>{(read) => <Fields {...props} id={id} from={versionOf(read)} />}</Edited>;
}

type Props = { product: Product; sku: Sku | null; onClose: () => void };

/** A variant of a product: its name, its price, and a value for each attribute that the product has. */
export default function SkuWindow({ product, sku, onClose }: Props) {
  const t = useText();
  return (
    <Modal opened onClose={onClose} title={t(sku ? "products.editSku" : "products.newSku")}>
      {sku ? (
        <SavedSku id={sku.id} {...{ product, onClose }} />
      ) : (
        <Fields id={null} from={NEW} {...{ product, onClose }} />
      )}
    </Modal>
  );
}
