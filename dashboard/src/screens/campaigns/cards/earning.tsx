import { Text } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import {
  type Campaign,
  type CampaignEarningRule,
  deleteCampaignEarningRule,
  disableCampaignEarningRule,
  enableCampaignEarningRule,
  listCampaignEarningRules,
} from "../../../api/operations.gen.ts";
import { useCan } from "../../../api/session.ts";
import { useOp } from "../../../api/use-op.ts";
import { confirm } from "../../../kit/confirm/confirm.ts";
import { type Column, period, text } from "../../../kit/list/columns.tsx";
import { SmallTable } from "../../../kit/list/small-table.tsx";
import { MoreMenu } from "../../../kit/page/more-menu.tsx";
import { Section } from "../../../kit/page/section.tsx";
import { Loaded } from "../../../kit/states/loaded.tsx";
import { StatusBadge } from "../../../kit/status/status-badge.tsx";
import { useAct } from "../../../kit/undo/use-act.ts";
import { RuleWords } from "../../../registry/conditions/rule-words.tsx";
import { expirySays } from "../../../registry/points-expiry.ts";
import { useText } from "../../../text/text.ts";
import { cardsSay } from "./cards-say.ts";
import { earningSays, earningSaysAll, eventWord, kindOfEvent } from "./earning-values.ts";
import { AddButton, ALL, OpenName } from "./part.tsx";

const EarningWindow = lazy(() => import("./earning-window.tsx"));

/** Switching a rule on and off, each with its opposite, and deleting it. */
function useRuleActs(campaignId: string) {
  const t = useText();
  const [enable, disable] = [useAct(enableCampaignEarningRule), useAct(disableCampaignEarningRule)];
  const remove = useAct(deleteCampaignEarningRule);
  const paramsOf = ({ id }: CampaignEarningRule) => ({ params: { campaignId, campaignEarningRuleId: id } });
  return {
    toggle: (rule: CampaignEarningRule) => {
      const [act, back] = rule.active ? [disable, enable] : [enable, disable];
      const write = paramsOf(rule);
      return act.run(write, t(rule.active ? "cards.ruleOff" : "cards.ruleOn"), () => back.run(write));
    },
    remove: async (rule: CampaignEarningRule) => {
      const says = [await cardsSay(campaignId, t), t("cards.deleteRuleSays")].filter(Boolean).join(" ");
      const question = { title: t("cards.deleteRule"), says, act: t("cards.deleteRuleAct") };
      if (await confirm({ ...question, isDangerous: true })) await remove.run(paramsOf(rule), t("cards.ruleDeleted"));
    },
  };
}

function useColumns(campaignId: string, open: (id: string) => void): Column<CampaignEarningRule>[] {
  const t = useText();
  const can = useCan();
  const acts = useRuleActs(campaignId);
  const named = (rule: CampaignEarningRule, currency: string) => rule.source.banner ?? earningSays(rule, t, currency);
  return [
    text("cards.rule", "source.banner", {
      cell: (rule, { currency }) => (
        <OpenName can="updateCampaignEarningRule" name={named(rule, currency)} onClick={() => open(rule.id)} />
      ),
    }),
    text("cards.when", "event", {
      cell: ({ event, validation_rule_id }) => (
        <>
          {kindOfEvent(event) === "custom" ? t("cards.onEvent", { event }) : t(eventWord(kindOfEvent(event)))}
          {validation_rule_id !== null && can("getValidationRule") && (
            <Text size="sm" c="dimmed" component="div">
              {t("sentence.onlyIf")}: <RuleWords id={validation_rule_id} />
            </Text>
          )}
        </>
      ),
    }),
    text("cards.gives", "loyalty", { cell: (rule, { currency }) => earningSaysAll(rule, t, currency) }),
    text("campaigns.status", "active", {
      cell: ({ active }) => <StatusBadge status={active ? "ACTIVE" : "DISABLED"} />,
    }),
    period("campaigns.period", "start_date", "expiration_date"),
    text("kit.more", "id", {
      cell: (rule, { currency }) => (
        <MoreMenu
          label={t("offers.actions", { name: named(rule, currency) })}
          items={[
            { text: t("cards.edit"), can: "updateCampaignEarningRule", run: () => open(rule.id) },
            {
              text: t(rule.active ? "campaigns.disable" : "campaigns.enable"),
              can: rule.active ? "disableCampaignEarningRule" : "enableCampaignEarningRule",
              run: () => void acts.toggle(rule),
            },
            {
              text: t("cards.deleteRule"),
              can: "deleteCampaignEarningRule",
              isDangerous: true,
              run: () => void acts.remove(rule),
            },
          ]}
        />
      ),
    }),
  ];
}

/** How the cards of a campaign earn points. */
export function Earning({ campaign: { id: campaignId, voucher } }: { campaign: Campaign }) {
  const t = useText();
  const expires = expirySays(voucher?.loyalty_card?.expiration_rules ?? null, t);
  /** The id of a rule; an empty one is a new rule. */
  const [opened, open] = useState<string | null>(null);
  const rules = useOp(listCampaignEarningRules, { campaignId, limit: ALL, order: "created_at" });
  const columns = useColumns(campaignId, open);
  return (
    <Section
      title={t("cards.earning")}
      help={`${t("cards.earningHelp")} ${expires}.`}
      actions={<AddButton can="createCampaignEarningRules" text={t("cards.addRule")} onClick={() => open("")} />}
    >
      <Loaded of={rules} rows={2}>
        {({ data }) =>
          data.length === 0 ? (
            <Text c="dimmed">{t("cards.noRules")}</Text>
          ) : (
            <SmallTable rows={data} columns={columns} idOf={({ id }) => id} label={t("cards.earning")} />
          )
        }
      </Loaded>
      {opened !== null && (
        <Suspense>
          <EarningWindow key={opened} campaignId={campaignId} id={opened || null} onClose={() => open(null)} />
        </Suspense>
      )}
    </Section>
  );
}
