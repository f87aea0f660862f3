import { Alert, Button, Modal, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { createSku, type Product, type Sku, updateSku } from "../../api/operations.gen.ts";
import { useSend } from "../../api/use-op.ts";
import { MoneyField } from "../../kit/form/money-field.tsx";
import { errorWord } from "../../kit/states/error-word.ts";
import { notifyDone } from "../../kit/undo/undo.tsx";
import { useText } from "../../text/text.ts";

type Props = { product: Product; sku: Sku | null; onClose: () => void };

/** A variant of a product: its name, its price, and a value for each attribute that the product has. */
export default function SkuWindow({ product, sku, onClose }: Props) {
  const t = useText();
  const [create, update] = [useSend(createSku), useSend(updateSku)];
  const [name, setName] = useState(sku?.sku ?? "");
  const [sourceId, setSourceId] = useState(sku?.source_id ?? "");
  const [price, setPrice] = useState<number | null>(sku?.price ?? null);
  const [attributes, setAttributes] = useState<Record<string, unknown>>(sku?.attributes ?? {});
  const [isPressed, setPressed] = useState(false);
  const error = create.error ?? update.error;
  const save = () => {
    setPressed(true);
    if (name.trim() === "") return;
    const body = { sku: name.trim(), price, attributes };
    const onSuccess = () => {
      notifyDone(t("kit.form.saved"));
      onClose();
    };
    if (sku) update.mutate({ params: { productId: product.id, skuId: sku.id }, body }, { onSuccess });
    else
      create.mutate(
        { params: { productId: product.id }, body: { ...body, ...(sourceId !== "" && { source_id: sourceId }) } },
        { onSuccess },
      );
  };
  return (
    <Modal opened onClose={onClose} title={t(sku ? "products.editSku" : "products.newSku")}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <Stack gap="lg">
          {error && (
            <Alert color="red" variant="light" role="alert">
              {errorWord(t, error)}
            </Alert>
          )}
          <TextInput
            label={t("products.name")}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={isPressed && name.trim() === "" && t("kit.form.required")}
            data-autofocus
          />
          {!sku && (
            <TextInput
              label={t("products.sourceId")}
              value={sourceId}
              onChange={(event) => setSourceId(event.currentTarget.value)}
            />
          )}
          <MoneyField
            label={t("products.price")}
            description={t("products.skuPriceHelp")}
            defaultValue={price}
            onChange={setPrice}
          />
          {product.attributes.map((attribute) => (
            <TextInput
              key={attribute}
              label={attribute}
              value={String(attributes[attribute] ?? "")}
              onChange={({ currentTarget: { value } }) => setAttributes((old) => ({ ...old, [attribute]: value }))}
            />
          ))}
          <Button type="submit" loading={create.isPending || update.isPending}>
            {t("kit.form.save")}
          </Button>
        </Stack>
      </form>
    </Modal>
  );
}
