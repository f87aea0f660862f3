import { Stack } from "@mantine/core";
import { lazy, type ReactNode, Suspense, useState } from "react";
import type { Discount } from "../../../api/operations.gen.ts";
import { LoadingRows } from "../../../kit/states/states.tsx";
import { DiscountField } from "../../../registry/discount/discount.ts";
import { FIRST_DISCOUNT, followEdit, followGoods } from "../../../registry/discount/effects.ts";
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
  const [now, setNow] = useState<Discount>(discount.defaultValue ?? FIRST_DISCOUNT);
  const [which, setWhich] = useState((goods.defaultValue ?? ALL_GOODS).which);
  const [isMoved, setMoved] = useState(false);
  const [round, setRound] = useState(0);
  // Free goods have a product of their own, and leave the choice as it was for the type that is chosen next.
  const isOnGoods = place !== null && which !== "all";
  const put = (next: Discount) => {
    setMoved(followEdit({ discount: now, isMoved }, next, isOnGoods).isMoved);
    setNow(next);
    discount.onChange?.(next);
  };
  const choose = (next: Goods) => {
    setWhich(next.which);
    goods.onChange?.(next);
    const followed = followGoods({ discount: now, isMoved }, next.which !== "all");
    setMoved(followed.isMoved);
    if (followed.discount === now) return;
    setNow(followed.discount);
    discount.onChange?.(followed.discount);
    // The field above shows what became of it.
    setRound(round + 1);
  };
  return (
    <Stack gap="lg">
      <DiscountField key={round} {...discount} defaultValue={now} onChange={put} isOnGoods={isOnGoods} />
      {place && place.kind !== "unread" && takesGoods(now) && (
        <Suspense fallback={<LoadingRows rows={2} />}>
          <GoodsField {...goods} onChange={choose} place={place} />
        </Suspense>
      )}
    </Stack>
  );
}
