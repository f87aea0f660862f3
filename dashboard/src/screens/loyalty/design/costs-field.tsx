import { useState } from "react";
import { useText } from "../../../text/text.ts";
import { NumberField, TiersSelect, WalletSelect, Ways } from "./fields.tsx";
import type { PartFormProps } from "./part-window.tsx";
import { type CostValue, newCost } from "./ways.ts";

type CostsProps = PartFormProps & { first: CostValue[]; onChange: (costs: CostValue[]) => void };
/** The prices of a reward. The first one that a member fits is theirs. */
export function CostsField({ design, first, onChange }: CostsProps) {
  const t = useText();
  const [costs, setCosts] = useState(first);
  return (
    <Ways
      ways={costs}
      onChange={(next) => {
        setCosts(next);
        onChange(next);
      }}
      make={(key) => newCost(key, design.wallets[0]?.id ?? "")}
      texts={{ one: "designer.price", add: "designer.addPrice", remove: "designer.removePrice" }}
    >
      {(cost, change) => (
        <>
          <NumberField label={t("designer.points")} value={cost.points} onChange={(points) => change({ points })} />
          <WalletSelect
            design={design}
            label={t("designer.paidFrom")}
            value={cost.wallet}
            onChange={(wallet) => change({ wallet })}
          />
          <TiersSelect design={design} value={cost.tiers} onChange={(tiers) => change({ tiers })} />
        </>
      )}
    </Ways>
  );
}
