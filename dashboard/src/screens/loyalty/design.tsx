import type { ReactNode } from "react";
import {
  getCardDefinition,
  getEarningRule,
  getReward,
  getTierStructure,
  type LoyaltyProgram,
  type LoyaltyProgramReward,
  listProgramCardDefinitionAssignments,
  listProgramEarningRuleAssignments,
  listProgramRewardAssignments,
  listProgramTierStructureAssignments,
  listTiers,
} from "../../api/operations.gen.ts";
import { useProject } from "../../api/session.ts";
import { useOp } from "../../api/use-op.ts";
import { formatCount } from "../../kit/list/columns.tsx";
import { Section } from "../../kit/page/section.tsx";
import { Loaded } from "../../kit/states/loaded.tsx";
import { type TextKey, useText } from "../../text/text.ts";
import { Item } from "./item.tsx";
import classes from "./loyalty.module.css";
import { effectSays, expirationSays, pendingSays } from "./sentences.ts";

function Wallet({ id }: { id: string }) {
  const t = useText();
  const wallet = useOp(getCardDefinition, { cardDefinitionId: id });
  return (
    <Loaded of={wallet} rows={1}>
      {({ name, status, points_expiration, pending_points }) => (
        <Item
          name={name}
          status={status}
          says={[expirationSays(points_expiration, t), pendingSays(pending_points, t)].join(" · ")}
        />
      )}
    </Loaded>
  );
}

/** The name of a wallet, where a sentence is about its points. */
function WalletName({ id }: { id: string }) {
  return useOp(getCardDefinition, { cardDefinitionId: id }).data?.name ?? "…";
}

const walletOf = (effect: {
  points?: { card_definition_id: string };
  points_proportional?: { card_definition_id: string };
}) => effect.points?.card_definition_id ?? effect.points_proportional?.card_definition_id;

function Earning({ id }: { id: string }) {
  const t = useText();
  const { currency } = useProject();
  const rule = useOp(getEarningRule, { earningRuleId: id });
  return (
    <Loaded of={rule} rows={1}>
      {({ name, status, trigger, earnings }) => (
        <Item name={name} status={status} says={t(`loyalty.when.${trigger.event.replaceAll(".", "_")}` as TextKey)}>
          <ul className={classes.outline}>
            {earnings.map((earning) =>
              earning.effects.map((effect, place) => {
                const wallet = walletOf(effect);
                return (
                  // biome-ignore lint/suspicious/noArrayIndexKey: an effect is its place.
                  <li key={`${earning.id}:${place}`} className={classes.item}>
                    {effectSays(effect, t, currency)}
                    {wallet && (
                      <>
                        {" → "}
                        <WalletName id={wallet} />
                      </>
                    )}
                    <span className={classes.says}>
                      {earning.name && ` · ${earning.name}`}
                      {earning.tier_rules.type === "ANY_OF" && ` · ${t("loyalty.someTiers")}`}
                      {earning.rules && ` · ${t("loyalty.withRules")}`}
                    </span>
                  </li>
                );
              }),
            )}
          </ul>
        </Item>
      )}
    </Loaded>
  );
}

function Tiers({ id }: { id: string }) {
  const t = useText();
  const structure = useOp(getTierStructure, { tierStructureId: id });
  const tiers = useOp(listTiers, { tierStructureId: id, limit: 100 });
  const from = ({ min_value, max_value }: { min_value: number; max_value?: number }) =>
    max_value === undefined
      ? t("loyalty.fromPoints", { from: formatCount(min_value) })
      : t("loyalty.betweenPoints", { from: formatCount(min_value), to: formatCount(max_value) });
  return (
    <Loaded of={structure} rows={1}>
      {({ name, status, type, card_definition_id }) => (
        <Item
          name={name}
          status={status}
          says={
            <>
              {t(`loyalty.by.${type}`)}: <WalletName id={card_definition_id} />
            </>
          }
        >
          <Loaded of={tiers} rows={2}>
            {({ data }) => (
              <ol className={classes.outline}>
                {[...data]
                  .sort((a, b) => a.qualification_rules.points.min_value - b.qualification_rules.points.min_value)
                  .map((tier) => (
                    <Item key={tier.id} name={tier.name} says={from(tier.qualification_rules.points)} />
                  ))}
              </ol>
            )}
          </Loaded>
        </Item>
      )}
    </Loaded>
  );
}

function Reward({ assigned }: { assigned: LoyaltyProgramReward }) {
  const t = useText();
  const reward = useOp(getReward, { rewardId: assigned.reward_id });
  const { stock, redeemed } = assigned;
  const left =
    stock.limited === undefined ? t("loyalty.noStock") : t("loyalty.stock", { count: stock.limited.quantity });
  return (
    <Loaded of={reward} rows={1}>
      {({ name, status, type, digital, costs }) => (
        <Item
          name={name}
          status={status}
          says={[
            t(`loyalty.kind.${digital?.type ?? type}` as TextKey),
            left,
            t("loyalty.bought", { count: redeemed }),
          ].join(" · ")}
        >
          <ul className={classes.outline}>
            {costs.map(({ id, spending, tier_rules }) => (
              <li key={id} className={classes.item}>
                {spending.map((one, place) => (
                  <span key={one.id}>
                    {place > 0 && " + "}
                    {t("loyalty.costs", { count: one.points })} <WalletName id={one.card_definition_id} />
                  </span>
                ))}
                {tier_rules.type === "ANY_OF" && <span className={classes.says}> · {t("loyalty.someTiers")}</span>}
              </li>
            ))}
          </ul>
        </Item>
      )}
    </Loaded>
  );
}

function Part({ title, help, children }: { title: TextKey; help: TextKey; children: ReactNode }) {
  const t = useText();
  return (
    <Section title={t(title)} help={t(help)}>
      {children}
    </Section>
  );
}

/** What a program is made of, as an outline: what earns, into which wallets, through which tiers, for which rewards. */
export default function Design({ record: { id: programId } }: { record: LoyaltyProgram }) {
  const t = useText();
  const params = { programId, limit: 100 };
  const wallets = useOp(listProgramCardDefinitionAssignments, params);
  const rules = useOp(listProgramEarningRuleAssignments, params);
  const structures = useOp(listProgramTierStructureAssignments, params);
  const rewards = useOp(listProgramRewardAssignments, params);
  const list = (items: ReactNode[]) =>
    items.length === 0 ? (
      <div className={classes.says}>{t("loyalty.nothing")}</div>
    ) : (
      <ul className={classes.outline}>{items}</ul>
    );
  return (
    <div className={classes.columns}>
      <div className={classes.stack}>
        <Part title="loyalty.earning" help="loyalty.earningHelp">
          <Loaded of={rules}>
            {({ data }) => list(data.map((one) => <Earning key={one.earning_rule_id} id={one.earning_rule_id} />))}
          </Loaded>
        </Part>
        <Part title="loyalty.wallets" help="loyalty.walletsHelp">
          <Loaded of={wallets}>
            {({ data }) => list(data.map((one) => <Wallet key={one.card_definition_id} id={one.card_definition_id} />))}
          </Loaded>
        </Part>
      </div>
      <div className={classes.stack}>
        <Part title="loyalty.tiers" help="loyalty.tiersHelp">
          <Loaded of={structures}>
            {({ data }) => list(data.map((one) => <Tiers key={one.tier_structure_id} id={one.tier_structure_id} />))}
          </Loaded>
        </Part>
        <Part title="loyalty.rewards" help="loyalty.rewardsHelp">
          <Loaded of={rewards}>
            {({ data }) => list(data.map((one) => <Reward key={one.reward_id} assigned={one} />))}
          </Loaded>
        </Part>
      </div>
    </div>
  );
}
