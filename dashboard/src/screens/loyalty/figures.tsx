import {
  getCardDefinition,
  getEarningRule,
  getProgramOverview,
  getProgramPointsEarningsSummaryReport,
  getProgramSpendingSummaryReport,
  getProgramTiersSummaryReport,
  type LoyaltyProgram,
  listTiers,
  type ProgramOverview,
} from "../../api/operations.gen.ts";
import { useCan } from "../../api/session.ts";
import { useOp } from "../../api/use-op.ts";
import { Section } from "../../kit/page/section.tsx";
import { Loaded } from "../../kit/states/loaded.tsx";
import { PointFigures } from "../../registry/point-figures.tsx";
import { useText } from "../../text/text.ts";
import classes from "./loyalty.module.css";
import { Table } from "./table.tsx";

const WalletName = ({ id }: { id: string }) => useOp(getCardDefinition, { cardDefinitionId: id }).data?.name ?? id;
/** A rule may earn in several ways, which have names. */
function RuleName({ id, item }: { id: string; item: string | null }) {
  const { data } = useOp(getEarningRule, { earningRuleId: id });
  const part = data?.earnings.find((earning) => earning.id === item)?.name;
  return [data?.name ?? id, part].filter(Boolean).join(" · ");
}
function TierName({ structure, id }: { structure: string; id: string }) {
  const tiers = useOp(listTiers, { tierStructureId: structure, limit: 100 });
  return tiers.data?.data.find((tier) => tier.id === id)?.name ?? id;
}

type Wallet = ProgramOverview["wallets"][number];
function WalletPoints({
  of: { card_definition_id, ...points },
  members,
}: { of: Wallet } & Pick<ProgramOverview, "members">) {
  const t = useText();
  const { data } = useOp(getCardDefinition, { cardDefinitionId: card_definition_id });
  return (
    <Section title={t("loyalty.pointsIn", { wallet: data?.name ?? card_definition_id })}>
      <PointFigures members={members} of={points} />
    </Section>
  );
}

/** Who is a member, and what became of the points of each wallet. */
function Overview({ programId }: { programId: string }) {
  const overview = useOp(getProgramOverview, { programId });
  return (
    <Loaded of={overview}>
      {({ members, wallets }) =>
        wallets.map((wallet) => <WalletPoints key={wallet.card_definition_id} of={wallet} members={members} />)
      }
    </Loaded>
  );
}

/** Points that were earned and spent, and moves between tiers, since the program began. */
export default function Figures({ record: { id: programId } }: { record: LoyaltyProgram }) {
  const t = useText();
  const can = useCan();
  const earned = useOp(getProgramPointsEarningsSummaryReport, { programId });
  const spent = useOp(getProgramSpendingSummaryReport, { programId });
  const moves = useOp(getProgramTiersSummaryReport, { programId });
  return (
    <div className={classes.stack}>
      {can("getProgramOverview") && <Overview programId={programId} />}
      <Section title={t("loyalty.earned")}>
        <Loaded of={earned}>
          {({ data }) => (
            <Table
              heads={["loyalty.rule", "loyalty.wallet", "loyalty.times", "loyalty.points", "loyalty.wasPending"]}
              rows={data.map((row) => ({
                id: row.id,
                cells: [
                  <RuleName key="rule" id={row.earning_rule_id} item={row.earning_item_id} />,
                  <WalletName key="wallet" id={row.card_definition_id} />,
                  row.success_count,
                  row.points,
                  row.pending_points,
                ],
              }))}
            />
          )}
        </Loaded>
      </Section>
      <Section title={t("loyalty.spent")}>
        <Loaded of={spent}>
          {({ data }) => (
            <Table
              heads={["loyalty.wallet", "loyalty.times", "loyalty.points", "loyalty.onRewards", "loyalty.onOrders"]}
              rows={data.map((row) => ({
                id: row.id,
                cells: [
                  <WalletName key="wallet" id={row.card_definition_id} />,
                  row.success,
                  row.points,
                  row.points_on_rewards,
                  row.points_on_order,
                ],
              }))}
            />
          )}
        </Loaded>
      </Section>
      <Section title={t("loyalty.moves")}>
        <Loaded of={moves}>
          {({ data }) => (
            <Table
              heads={["loyalty.tier", "loyalty.joins", "loyalty.upgrades", "loyalty.downgrades", "loyalty.lefts"]}
              rows={data.map((row) => ({
                id: row.id,
                cells: [
                  <TierName key="tier" structure={row.tier_structure_id} id={row.tier_id} />,
                  row.joins,
                  row.upgrades,
                  row.downgrades,
                  row.lefts,
                ],
              }))}
            />
          )}
        </Loaded>
      </Section>
    </div>
  );
}
