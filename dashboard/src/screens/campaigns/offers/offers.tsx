import { Anchor, Button, Group, Stack, Text } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { lazy, Suspense } from "react";
import { useSearchParams } from "react-router";
import {
  type Campaign,
  deletePromotionTier,
  disablePromotionTier,
  enablePromotionTier,
  listPromotionTiersOfCampaign,
  type PromotionTier,
  updatePromotionTier,
} from "../../../api/operations.gen.ts";
import { send } from "../../../api/send.ts";
import { useCan } from "../../../api/session.ts";
import { useOp } from "../../../api/use-op.ts";
import { confirm } from "../../../kit/confirm/confirm.ts";
import { timesOf } from "../../../kit/date/times.ts";
import { type Column, count, discount, period, status, text } from "../../../kit/list/columns.tsx";
import { SmallTable } from "../../../kit/list/small-table.tsx";
import { MoveButtons } from "../../../kit/order/move-buttons.tsx";
import { type Order, useOrder } from "../../../kit/order/use-order.ts";
import { Can } from "../../../kit/page/can.tsx";
import { MoreMenu } from "../../../kit/page/more-menu.tsx";
import { Panel } from "../../../kit/page/panel.tsx";
import { Loaded } from "../../../kit/states/loaded.tsx";
import { Empty } from "../../../kit/states/states.tsx";
import { useAct } from "../../../kit/undo/use-act.ts";
import { timesSay } from "../../../registry/campaign-sentence.ts";
import { worthOn } from "../../../registry/discount/goods-words.ts";
import { useText } from "../../../text/text.ts";
import { type FoundGoods, useGoods } from "../goods/use-goods.ts";
import { foundSaid } from "../goods/values.ts";

const OfferWindow = lazy(() => import("./offer-window.tsx"));
const NEW = "new";

/** Switching an offer on and off, each with its opposite, and deleting it. */
function useOfferActs() {
  const t = useText();
  const [enable, disable, remove] = [
    useAct(enablePromotionTier),
    useAct(disablePromotionTier),
    useAct(deletePromotionTier),
  ];
  return {
    toggle: ({ id, name, active }: PromotionTier) => {
      const write = { params: { promotionTierId: id } };
      const [act, back] = active ? [disable, enable] : [enable, disable];
      return act.run(write, t(active ? "offers.disabled" : "offers.enabled", { name }), () => back.run(write));
    },
    remove: async ({ id, name, summary }: PromotionTier) => {
      const says = t("offers.deleteSays", { name, count: summary.redemptions.total_redeemed });
      const act = t("offers.deleteAct", { name });
      if (await confirm({ title: t("offers.delete"), says, act, isDangerous: true }))
        await remove.run({ params: { promotionTierId: id } }, t("offers.deleted", { name }));
    },
  };
}

/** Where it stands among the offers, and arrows that move it. */
function Place({ tier: { id, name }, of }: { tier: PromotionTier; of: Order }) {
  const can = useCan()("updatePromotionTier") && of.ids.length > 1;
  return (
    <Group gap="xs" wrap="nowrap">
      <span>{of.ids.indexOf(id) + 1}</span>
      {can && <MoveButtons of={of} id={id} name={name} />}
    </Group>
  );
}

type Look = { open: (id: string) => void; order: Order; goods: FoundGoods | undefined };

function useColumns({ open, order, goods }: Look): Column<PromotionTier>[] {
  const t = useText();
  const can = useCan();
  const acts = useOfferActs();
  return [
    text<PromotionTier>("offers.place", "hierarchy", { cell: (tier) => <Place tier={tier} of={order} /> }),
    text<PromotionTier>("campaigns.name", "name", {
      cell: ({ id, name }) =>
        can("updatePromotionTier") ? (
          <Anchor component="button" type="button" inherit onClick={() => open(id)}>
            {name}
          </Anchor>
        ) : (
          name
        ),
    }),
    text<PromotionTier>("campaigns.worth", "action", {
      cell: (tier, look) =>
        [
          worthOn(tier.action.discount, foundSaid(goods?.get(tier.id), tier.action.discount), look) ?? "–",
          ...timesSay(timesOf(tier), look.t),
        ].join(", "),
    }),
    text<PromotionTier>("campaigns.banner", "banner"),
    status<PromotionTier>("campaigns.status", "status"),
    period<PromotionTier>("campaigns.period", "start_date", "expiration_date"),
    count<PromotionTier>("campaigns.redemptions", "summary.redemptions.total_redeemed"),
    discount<PromotionTier>("campaigns.discount", "summary.orders.total_discount_amount"),
    text<PromotionTier>("kit.more", "id", {
      cell: (tier) => (
        <MoreMenu
          label={t("offers.actions", { name: tier.name })}
          items={[
            { text: t("offers.edit"), can: "updatePromotionTier", run: () => open(tier.id) },
            {
              text: t(tier.active ? "campaigns.disable" : "campaigns.enable"),
              can: tier.active ? "disablePromotionTier" : "enablePromotionTier",
              run: () => void acts.toggle(tier),
            },
            {
              text: t("offers.delete"),
              can: "deletePromotionTier",
              isDangerous: true,
              run: () => void acts.remove(tier),
            },
          ]}
        />
      ),
    }),
  ];
}

type TableProps = { tiers: readonly PromotionTier[]; open: (id: string) => void };

function OffersTable({ tiers, open }: TableProps) {
  const t = useText();
  const order = useOrder(tiers, updatePromotionTier, (promotionTierId, hierarchy) =>
    send(updatePromotionTier, { promotionTierId }, { body: { hierarchy } }),
  );
  const owners = tiers.map(({ id, validation_rule_assignments: { data } }) => ({ id, assigned: data }));
  const { data: goods } = useGoods(owners);
  const columns = useColumns({ open, order, goods });
  const byId = new Map(tiers.map((one) => [one.id, one]));
  return (
    <Panel p={0}>
      <SmallTable
        rows={order.ids.flatMap((id) => byId.get(id) ?? [])}
        columns={columns}
        idOf={({ id }) => id}
        label={t("campaigns.tiers")}
      />
    </Panel>
  );
}

/** The offers of a promotion: what each gives, whether it applies now, and how to change it. */
export default function Offers({ record }: { record: Campaign }) {
  const t = useText();
  const [query, setQuery] = useSearchParams();
  const tiers = useOp(listPromotionTiersOfCampaign, { campaignId: record.id });
  // Which one is open stands in the address: `offer=promo_1`, `offer=new`.
  const opened = query.get("offer");
  const open = (id: string | null) =>
    setQuery((old) => {
      const next = new URLSearchParams(old);
      if (id === null) next.delete("offer");
      else next.set("offer", id);
      return next;
    });
  return (
    <Stack gap="lg">
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {t("offers.placeHelp")}
        </Text>
        <Can do="createPromotionTier">
          <Button variant="default" leftSection={<IconPlus size={16} stroke={1.75} />} onClick={() => open(NEW)}>
            {t("campaigns.addOffer")}
          </Button>
        </Can>
      </Group>
      <Loaded of={tiers}>
        {({ tiers: rows }) =>
          rows.length === 0 ? <Empty title="campaigns.noTiers" /> : <OffersTable tiers={rows} open={open} />
        }
      </Loaded>
      {opened && (
        <Suspense>
          <OfferWindow key={opened} campaign={record} id={opened === NEW ? null : opened} onClose={() => open(null)} />
        </Suspense>
      )}
    </Stack>
  );
}
