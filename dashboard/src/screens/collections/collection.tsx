import { Button, Text, Title } from "@mantine/core";
import { Link, useNavigate, useParams } from "react-router";
import type { RowOf } from "../../api/op.ts";
import {
  deleteProductCollection,
  getProductCollection,
  listProductsOfCollection,
  type ProductCollection,
} from "../../api/operations.gen.ts";
import { send } from "../../api/send.ts";
import { useProject } from "../../api/session.ts";
import { useOp, useSend } from "../../api/use-op.ts";
import { confirm } from "../../kit/confirm/confirm.ts";
import { known } from "../../kit/confirm/known.ts";
import { formatDay } from "../../kit/date/date.ts";
import { Figures } from "../../kit/facts/facts.tsx";
import { link, money, text } from "../../kit/list/columns.tsx";
import { SmallTable } from "../../kit/list/small-table.tsx";
import { formatCount } from "../../kit/money/count.ts";
import { Can } from "../../kit/page/can.tsx";
import { Page } from "../../kit/page/page.tsx";
import { Panel } from "../../kit/page/panel.tsx";
import { Failure, LoadingRows } from "../../kit/states/states.tsx";
import { notifyDone, notifyFailed } from "../../kit/undo/undo.tsx";
import { useText } from "../../text/text.ts";
import { TYPES } from "./types.ts";

type Thing = RowOf<typeof listProductsOfCollection>;
const MANY = 50;

const COLUMNS = [
  link<Thing>(
    "products.name",
    (row) => ("sku" in row ? row.sku : row.name) ?? row.source_id ?? row.id,
    (row) => `/products/${"product_id" in row ? row.product_id : row.id}`,
  ),
  text<Thing>("products.sourceId", "source_id"),
  money<Thing>("products.price", "price"),
];

function Contents({ collection }: { collection: ProductCollection }) {
  const t = useText();
  const { timezone } = useProject();
  const params = { productCollectionId: collection.id, limit: MANY };
  const { data, error, refetch } = useOp(listProductsOfCollection, params);
  return (
    <>
      <Figures
        figures={[
          { label: t("products.title"), value: data ? formatCount(data.total) : null },
          { label: t("collections.type"), value: t(TYPES[collection.type]!) },
          { label: t("collections.created"), value: formatDay(collection.created_at, timezone) },
        ]}
      />
      <Panel>
        <Title order={2} mb="sm">
          {t("products.title")}
        </Title>
        {data === undefined &&
          (error ? <Failure error={error} retry={() => void refetch()} /> : <LoadingRows rows={4} />)}
        {data?.total === 0 && <Text c="dimmed">{t("collections.nothing")}</Text>}
        {data && data.total > 0 && (
          <SmallTable label={t("products.title")} rows={data.data} columns={COLUMNS} idOf={({ id }) => id} />
        )}
        {data && data.total > MANY && (
          <Text size="sm" c="dimmed" mt="sm">
            {t("collections.firstOf", { count: MANY, total: formatCount(data.total) })}
          </Text>
        )}
      </Panel>
    </>
  );
}

function Actions({ collection: { id, name } }: { collection: ProductCollection }) {
  const t = useText();
  const navigate = useNavigate();
  const remove = useSend(deleteProductCollection);
  const drop = async () => {
    const [title, act] = [t("collections.delete"), t("collections.deleteAct", { name })];
    const held = await known(send(listProductsOfCollection, { productCollectionId: id, limit: 1 }));
    const says = held
      ? t("collections.deleteCount", { name, count: held.total })
      : t("collections.deleteSays", { name });
    if (!(await confirm({ title, says, act, isDangerous: true }))) return;
    remove.mutate(
      { params: { productCollectionId: id } },
      {
        onSuccess: () => {
          notifyDone(t("collections.deleted", { name }));
          void navigate("/collections");
        },
        onError: notifyFailed,
      },
    );
  };
  return (
    <>
      <Can do="updateProductCollection">
        <Button component={Link} to={`/collections/${id}/edit`}>
          {t("collections.edit")}
        </Button>
      </Can>
      <Can do="deleteProductCollection">
        <Button variant="default" onClick={() => void drop()}>
          {t("collections.delete")}
        </Button>
      </Can>
    </>
  );
}

export default function CollectionPage() {
  const { productCollectionId = "" } = useParams();
  const collection = useOp(getProductCollection, { productCollectionId });
  return (
    <Page
      of={collection}
      title={(one) => one.name}
      actions={(one) => <Actions collection={one} />}
      call={[getProductCollection, { productCollectionId }]}
    >
      {(one) => <Contents collection={one} />}
    </Page>
  );
}
