import { Stack } from "@mantine/core";
import { lazy, type ReactNode, Suspense, useState } from "react";
import type { Discount } from "../../../api/operations.gen.ts";
import { LoadingRows } from "../../../kit/states/states.tsx";
import { DiscountField } from "../../../registry/discount/discount.ts";
import { onGoods } from "../../../registry/discount/effects.ts";
import { ALL_GOODS, type Goods, type Place, takesGoods } from "./values.ts";

const GoodsField = lazy(() => import("./goods-field.tsx"));

type Bound<V> = {
  defaultValue?: V;
  onChange?: (value: V) => void;
  error?: ReactNode;
  "data-path"?: string;
};
type Props = {
  discount: Bound<Discount | null>;
  goods: Bound<Goods>;
  /** Where the products are said; null: whoever is signed in may not change them. */
  place: Place | null;
};

/** What a discount takes off, and of which products. A discount on the whole order knows no products, so each follows the other. */
export function DiscountOnGoods({ discount, goods, place }: Props) {
  const [now, setNow] = useState<Discount | null>(discount.defaultValue ?? null);
  const [which, setWhich] = useState((goods.defaultValue ?? ALL_GOODS).which);
  const [round, setRound] = useState(0);
  const put = (next: Discount) => {
    setNow(next);
    discount.onChange?.(next);
  };
  const choose = (next: Goods) => {
    setWhich(next.which);
    goods.onChange?.(next);
    if (which !== "all" || next.which === "all" || now === null || onGoods(now) === now) return;
    put(onGoods(now));
    // The field above shows what became of it.
    setRound(round + 1);
  };
  return (
    <Stack gap="lg">
      <DiscountField
        key={round}
        {...discount}
        defaultValue={now}
        onChange={put}
        isOnGoods={place !== null && which !== "all" && takesGoods(now)}
      />
      {place && place.kind !== "unread" && takesGoods(now) && (
        <Suspense fallback={<LoadingRows rows={2} />}>
          <GoodsField {...goods} onChange={choose} place={place} />
        </Suspense>
      )}
    </Stack>
  );
}
