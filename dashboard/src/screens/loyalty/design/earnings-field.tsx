import { Text } from "@mantine/core";
import { useState } from "react";
import type { EarningRule } from "../../../api/operations.gen.ts";
import { useProject } from "../../../api/session.ts";
import { MoneyField } from "../../../kit/form/money-field.tsx";
import { Select } from "../../../kit/later/fields.ts";
import { useText } from "../../../text/text.ts";
import { effectSays } from "../sentences.ts";
import { NumberField, TiersSelect, WalletSelect, Ways } from "./fields.tsx";
import type { PartFormProps } from "./part-window.tsx";
import { type EarningValue, fitting, newEarning } from "./ways.ts";

type EarningsProps = PartFormProps & {
  first: EarningValue[];
  event: EarningRule["trigger"]["event"];
  onChange: (all: EarningValue[]) => void;
};
/** The ways to earn by one rule: how many points, into which wallet, and for whom. */
export function EarningsField({ design, first, onChange, event }: EarningsProps) {
  const t = useText();
  const { currency } = useProject();
  const [earnings, setEarnings] = useState(first);
  const put = (next: EarningValue[]) => {
    setEarnings(next);
    onChange(next);
  };
  const wallet = design.wallets[0]?.id ?? "";
  const isOrder = event === "customer.order.paid";
  const kinds = isOrder ? (["amount", "points"] as const) : (["points"] as const);
  return (
    <Ways
      ways={earnings}
      onChange={put}
      make={(key) => fitting(newEarning(key, wallet), isOrder)}
      texts={{ one: "designer.way", add: "designer.addWay", remove: "designer.removeWay" }}
    >
      {(way, change) =>
        way.gives === "kept" ? (
          <Text size="sm">{way.from?.effects.map((effect) => effectSays(effect, t, currency)).join(", ")}</Text>
        ) : (
          <>
            <Select
              label={t("designer.gives")}
              allowDeselect={false}
              data={kinds.map((kind) => ({ value: kind, label: t(`designer.givesKind.${kind}`) }))}
              value={way.gives}
              onChange={(gives) => change({ gives: gives as EarningValue["gives"], every: way.every ?? 100 })}
            />
            <NumberField
              label={t("designer.points")}
              allowDecimal={way.gives === "amount"}
              value={way.points}
              onChange={(points) => change({ points })}
            />
            {way.gives === "amount" && (
              <MoneyField
                label={t("designer.forEvery")}
                defaultValue={way.every}
                onChange={(every) => change({ every })}
              />
            )}
            <WalletSelect
              design={design}
              label={t("designer.into")}
              value={way.wallet}
              onChange={(id) => change({ wallet: id })}
            />
            <TiersSelect design={design} value={way.tiers} onChange={(tiers) => change({ tiers })} />
          </>
        )
      }
    </Ways>
  );
}
