import { SimpleGrid, TextInput } from "@mantine/core";
import { useNavigate, useParams } from "react-router";
import { createProduct, getProduct, type Product, updateProduct } from "../../api/operations.gen.ts";
import { sendFor } from "../../api/send.ts";
import { useRecord } from "../../api/use-op.ts";
import { MoneyField } from "../../kit/form/money-field.tsx";
import { RecordForm } from "../../kit/form/record-form.tsx";
import { useRecordForm, type Version } from "../../kit/form/use-record-form.ts";
import { TagsInput } from "../../kit/later/fields.ts";
import { Page } from "../../kit/page/page.tsx";
import { PageHead } from "../../kit/page/page-head.tsx";
import { Panel } from "../../kit/page/panel.tsx";
import { notifyDone } from "../../kit/undo/undo.tsx";
import { useText } from "../../text/text.ts";

type Values = { name: string; source_id: string; price: number | null; image_url: string; attributes: string[] };

const valuesOf = (product: Product | null): Values => ({
  name: product?.name ?? "",
  source_id: product?.source_id ?? "",
  price: product?.price ?? null,
  image_url: product?.image_url ?? "",
  attributes: product?.attributes ?? [],
});

function Fields({ product, etag }: { product: Product | null; etag: string | null }) {
  const t = useText();
  const navigate = useNavigate();
  const readAgain = async (): Promise<Version<Values>> => {
    const answer = await sendFor(getProduct, { productId: product!.id });
    return { values: valuesOf(answer.body), etag: answer.etag };
  };
  const state = useRecordForm<Values, { id: string }>({
    record: `product:${product?.id ?? "new"}`,
    from: { values: valuesOf(product), etag },
    validate: ({ name }) => (name.trim() === "" ? { name: t("kit.form.required") } : {}),
    save: async (send, changes, version) => {
      const { source_id, ...body } = changes;
      return product
        ? send(updateProduct, { params: { productId: product.id }, body, ...version })
        : send(createProduct, { params: {}, body: { ...body, ...(source_id && { source_id }) } });
    },
    ...(product && { readAgain }),
    onSaved: (saved) => {
      notifyDone(t("kit.form.saved"));
      void navigate(`/products/${saved?.id ?? product?.id}`);
    },
  });
  const { form } = state;
  const labels = { name: t("products.name"), price: t("products.price"), attributes: t("products.attributes") };
  return (
    <RecordForm state={state} labels={labels}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput key={form.key("name")} label={t("products.name")} {...form.getInputProps("name")} />
        <MoneyField key={form.key("price")} label={t("products.price")} {...form.getInputProps("price")} />
        <TextInput
          key={form.key("source_id")}
          label={t("products.sourceId")}
          description={t("products.sourceIdHelp")}
          readOnly={product !== null}
          {...form.getInputProps("source_id")}
        />
        <TagsInput
          key={form.key("attributes")}
          label={t("products.attributes")}
          description={t("products.attributesHelp")}
          {...form.getInputProps("attributes")}
        />
        <TextInput key={form.key("image_url")} label={t("products.image")} {...form.getInputProps("image_url")} />
      </SimpleGrid>
    </RecordForm>
  );
}

function EditProduct({ productId }: { productId: string }) {
  const product = useRecord(getProduct, { productId });
  return (
    <Page of={product} title={({ body }) => body.name ?? body.id} call={[getProduct, { productId }]}>
      {({ body, etag }) => (
        <Panel>
          <Fields product={body} etag={etag} />
        </Panel>
      )}
    </Page>
  );
}

export default function ProductForm() {
  const t = useText();
  const { productId } = useParams();
  if (productId !== undefined) return <EditProduct productId={productId} />;
  return (
    <>
      <PageHead title={t("products.new")} />
      <Panel>
        <Fields product={null} etag={null} />
      </Panel>
    </>
  );
}
