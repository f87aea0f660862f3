import { Button, Group, Text, Title } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { Link, useNavigate, useParams } from "react-router";
import { deleteProduct, deleteSku, getProduct, type ProductWithSkus, type Sku } from "../../api/operations.gen.ts";
import { useCan, useProject } from "../../api/session.ts";
import { useOp, useSend } from "../../api/use-op.ts";
import { confirm } from "../../kit/confirm/confirm.ts";
import { formatDay } from "../../kit/date/date.ts";
import { Facts } from "../../kit/facts/facts.tsx";
import { type Column, money, text } from "../../kit/list/columns.tsx";
import { SmallTable } from "../../kit/list/small-table.tsx";
import { formatMoney } from "../../kit/money/money.ts";
import { Can } from "../../kit/page/can.tsx";
import { Page } from "../../kit/page/page.tsx";
import { Panel } from "../../kit/page/panel.tsx";
import { notifyDone, notifyFailed } from "../../kit/undo/undo.tsx";
import { localeOf, useText } from "../../text/text.ts";

const SkuWindow = lazy(() => import("./sku-window.tsx"));

function Skus({ product }: { product: ProductWithSkus }) {
  const t = useText();
  const can = useCan();
  const remove = useSend(deleteSku);
  const [open, setOpen] = useState<Sku | "new" | null>(null);
  const drop = async (sku: Sku) => {
    const name = sku.sku ?? sku.id;
    const left = { product: product.name ?? product.id, count: product.skus.total - 1 };
    const says = `${t("products.deleteSkuSays", { name })} ${t("products.skusLeft", left)}`;
    if (
      !(await confirm({ title: t("products.delete"), says, act: t("products.deleteAct", { name }), isDangerous: true }))
    )
      return;
    remove.mutate(
      { params: { productId: product.id, skuId: sku.id } },
      { onSuccess: () => notifyDone(t("products.deleted", { name })), onError: notifyFailed },
    );
  };
  const acts: Column<Sku> = {
    id: "acts",
    title: "products.acts",
    csv: () => null,
    cell: (sku) => (
      <Group gap="xs" justify="flex-end">
        {can("updateSku") && (
          <Button size="compact-sm" variant="default" onClick={() => setOpen(sku)}>
            {t("products.edit")}
          </Button>
        )}
        {can("deleteSku") && (
          <Button size="compact-sm" variant="default" onClick={() => void drop(sku)}>
            {t("products.delete")}
          </Button>
        )}
      </Group>
    ),
    isNumber: true,
  };
  const columns = [
    text<Sku>("products.name", "sku"),
    text<Sku>("products.sourceId", "source_id"),
    money<Sku>("products.price", "price"),
    ...product.attributes.map(
      (name): Column<Sku> => ({
        id: `attributes.${name}`,
        title: "products.attributes",
        cell: ({ attributes }) => `${name}: ${String(attributes[name] ?? "–")}`,
        csv: ({ attributes }) => String(attributes[name] ?? ""),
      }),
    ),
    acts,
  ];
  return (
    <Panel>
      <Group justify="space-between" mb="sm">
        <Title order={2}>{t("products.skus")}</Title>
        <Can do="createSku">
          <Button variant="default" onClick={() => setOpen("new")}>
            {t("products.newSku")}
          </Button>
        </Can>
      </Group>
      {product.skus.data.length === 0 ? (
        <Text c="dimmed">{t("products.noSkus")}</Text>
      ) : (
        <SmallTable label={t("products.skus")} rows={product.skus.data} columns={columns} idOf={({ id }) => id} />
      )}
      <Suspense>
        {open !== null && (
          <SkuWindow product={product} sku={open === "new" ? null : open} onClose={() => setOpen(null)} />
        )}
      </Suspense>
    </Panel>
  );
}

function Actions({ product }: { product: ProductWithSkus }) {
  const t = useText();
  const navigate = useNavigate();
  const remove = useSend(deleteProduct);
  const name = product.name ?? product.id;
  const drop = async () => {
    const says = t("products.deleteSays", { name, count: product.skus.total });
    if (
      !(await confirm({ title: t("products.delete"), says, act: t("products.deleteAct", { name }), isDangerous: true }))
    )
      return;
    remove.mutate(
      { params: { productId: product.id } },
      {
        onSuccess: () => {
          notifyDone(t("products.deleted", { name }));
          void navigate("/products");
        },
        onError: notifyFailed,
      },
    );
  };
  return (
    <>
      <Can do="updateProduct">
        <Button component={Link} to={`/products/${product.id}/edit`}>
          {t("products.edit")}
        </Button>
      </Can>
      <Can do="deleteProduct">
        <Button variant="default" onClick={() => void drop()}>
          {t("products.delete")}
        </Button>
      </Can>
    </>
  );
}

export default function ProductPage() {
  const t = useText();
  const { currency, timezone } = useProject();
  const { productId = "" } = useParams();
  const product = useOp(getProduct, { productId });
  return (
    <Page
      of={product}
      title={(one) => one.name ?? one.source_id ?? one.id}
      actions={(one) => <Actions product={one} />}
      call={[getProduct, { productId }]}
    >
      {(one) => (
        <div style={{ display: "grid", gap: 16 }}>
          <Panel>
            <Facts
              facts={[
                [
                  t("products.price"),
                  one.price === null ? null : formatMoney(one.price, currency, { locale: localeOf() }),
                ],
                [t("products.sourceId"), one.source_id],
                [t("products.attributes"), one.attributes.join(", ")],
                [t("products.image"), one.image_url],
                ...Object.entries(one.metadata).map(([name, value]) => [name, String(value)] as const),
                [t("products.created"), formatDay(one.created_at, timezone)],
                [
                  t("products.id"),
                  <span key="id" className="mono">
                    {one.id}
                  </span>,
                ],
              ]}
            />
          </Panel>
          <Skus product={one} />
        </div>
      )}
    </Page>
  );
}
