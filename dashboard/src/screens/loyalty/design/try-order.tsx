import { Button, Group, Stack, Text } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { examineEarningRules, type LoyaltyEarningsExamined, type LoyaltyProgram } from "../../../api/operations.gen.ts";
import { useProject } from "../../../api/session.ts";
import { CUSTOMERS } from "../../../api/sources.ts";
import { useSend } from "../../../api/use-op.ts";
import { MoneyField } from "../../../kit/form/money-field.tsx";
import { formatMoney } from "../../../kit/money/money.ts";
import { Can } from "../../../kit/page/can.tsx";
import { Section } from "../../../kit/page/section.tsx";
import { type Option, RecordSelect } from "../../../kit/pick/record-select.tsx";
import { Failure } from "../../../kit/states/states.tsx";
import { localeOf, useText } from "../../../text/text.ts";
import type { Design } from "./parts.ts";

type Props = { program: LoyaltyProgram; design: Design };

function Answer({ program, design, examined }: Props & { examined: LoyaltyEarningsExamined }) {
  const t = useText();
  const own = examined.memberships.find((one) => one.program.id === program.id);
  if (!own) return <Text size="sm">{t("designer.noMember")}</Text>;
  const nameOf = (records: readonly { id: string; name: string }[], wanted: string) =>
    records.find(({ id }) => id === wanted)?.name ?? wanted;
  const lines = own.cards.flatMap(({ card, earning_rules }) =>
    earning_rules.map(({ earning_rule, points_estimation }) => ({
      key: `${card.id} ${earning_rule.id}`,
      says: t("designer.wouldGet", {
        count: points_estimation,
        wallet: nameOf(design.wallets, card.card_definition_id),
        rule: nameOf(design.rules, earning_rule.id),
      }),
    })),
  );
  if (lines.length === 0) return <Text size="sm">{t("designer.wouldGetNothing")}</Text>;
  return lines.map(({ key, says }) => (
    <Text key={key} size="sm">
      {says}
    </Text>
  ));
}

/** Asks the server what an order would earn. Nothing is written. */
export function TryOrder({ program, design }: Props) {
  const t = useText();
  const { currency } = useProject();
  const { mutate, data, error, isPending, variables } = useSend(examineEarningRules);
  const [who, setWho] = useState<Option | null>(null);
  const [amount, setAmount] = useState<number | null>(4000);
  const [isWrong, setWrong] = useState(false);
  const ask = (event: FormEvent) => {
    event.preventDefault();
    setWrong(who === null);
    if (who === null) return;
    const body = {
      trigger: { type: "SPECIFIC" as const, specific: { event: "customer.order.paid" as const } },
      customer_identification: { type: "customer_id" as const, customer_id: who.value },
      customer_order_paid: { order: { amount: amount ?? 0 } },
    };
    mutate({ params: {}, body });
  };
  const asked = Number(variables?.body?.customer_order_paid?.order?.amount ?? 0);
  return (
    <Can do="examineEarningRules">
      <Section title={t("designer.try")} help={t("designer.tryHelp")}>
        <form noValidate onSubmit={ask}>
          <Group align="flex-start">
            <MoneyField label={t("designer.tryAmount")} defaultValue={amount} onChange={setAmount} />
            <RecordSelect
              source={CUSTOMERS}
              label={t("designer.tryWho")}
              value={who}
              error={isWrong && who === null ? t("kit.form.required") : null}
              onChange={setWho}
            />
            <Button type="submit" variant="default" mt={24} loading={isPending}>
              {t("designer.tryAct")}
            </Button>
          </Group>
        </form>
        <Stack gap={4} mt="md" role="status">
          {data && (
            <>
              <Text size="sm" fw={600}>
                {t("designer.tried", { amount: formatMoney(asked, currency, { locale: localeOf() }) })}
              </Text>
              <Answer program={program} design={design} examined={data} />
            </>
          )}
        </Stack>
        {error && <Failure error={error} />}
      </Section>
    </Can>
  );
}
