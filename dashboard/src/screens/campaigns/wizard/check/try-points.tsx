import { Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import { MoneyField } from "../../../../kit/form/money-field.tsx";
import { useText } from "../../../../text/text.ts";
import type { Values } from "../values.ts";
import { pointsEarned } from "./points-earned.ts";

/** As much as the cart of the other kinds holds at first, in 1/100. */
const FIRST_AMOUNT = 10_000;

/** What an order earns in a loyalty campaign that is not saved yet. Nothing of it needs the server. */
export default function TryPoints({ values: { earn_points: points, earn_every: every } }: { values: Values }) {
  const t = useText();
  const [amount, setAmount] = useState<number | null>(FIRST_AMOUNT);
  if (!points || !every) return null;
  return (
    // Enter belongs to the order here: it must not create the campaign.
    <Stack gap="lg" onKeyDown={(event) => void (event.key === "Enter" && event.preventDefault())}>
      <div>
        <Title order={2}>{t("templates.tryTitle")}</Title>
        <Text size="sm" c="dimmed">
          {t("templates.tryLoyalty")}
        </Text>
      </div>
      <MoneyField label={t("simulator.amount")} value={amount} onChange={setAmount} />
      <Text role="status" fw={600}>
        {t("templates.tryEarns", { count: pointsEarned(amount ?? 0, { points, every }) })}
      </Text>
    </Stack>
  );
}
