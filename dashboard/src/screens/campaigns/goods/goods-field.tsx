import { Pill, Radio, Stack, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { COLLECTIONS, GOODS, goodIn } from "../../../api/goods-sources.ts";
import { useCan } from "../../../api/session.ts";
import { RecordSelect } from "../../../kit/pick/record-select.tsx";
import { useText } from "../../../text/text.ts";
import classes from "./goods.module.css";
import { ALL_GOODS, type Good, type Goods, type Place } from "./values.ts";

type Props = {
  defaultValue?: Goods;
  onChange?: (goods: Goods) => void;
  error?: ReactNode;
  "data-path"?: string;
  place: Place;
};
const CHOICES = ["all", "only", "except"] as const;
const idOf = ({ entry }: Good) => `${entry.object} ${entry.id}`;

function Picked({ picked, drop }: { picked: readonly Good[]; drop: (good: Good) => void }) {
  const t = useText();
  if (picked.length === 0) return null;
  return (
    <ul className={classes.picked} aria-label={t("goods.picked")}>
      {picked.map((good) => (
        <li key={idOf(good)}>
          <Pill
            size="md"
            withRemoveButton
            removeButtonProps={{
              "aria-label": t("rules.remove", { name: good.name }),
              "aria-hidden": false,
              tabIndex: 0,
            }}
            onRemove={() => drop(good)}
          >
            {good.name}
          </Pill>
        </li>
      ))}
    </ul>
  );
}

type PickProps = Pick<Props, "error" | "data-path"> & { picked: readonly Good[]; put: (picked: Good[]) => void };

/** What was chosen, and fields that find more. */
function Picker({ picked, put, error, "data-path": path }: PickProps) {
  const t = useText();
  const can = useCan();
  const add = (chosen: { value: string; label: string } | null) => {
    if (!chosen) return;
    const good = { entry: goodIn(chosen.value), name: chosen.label };
    put([...picked.filter((one) => idOf(one) !== idOf(good)), good]);
  };
  return (
    <Stack gap="sm" className={classes.picker}>
      <Picked picked={picked} drop={(good) => put(picked.filter((one) => one !== good))} />
      {can("listProducts") && (
        <RecordSelect
          source={GOODS}
          label={t("goods.add")}
          placeholder={t("simulator.addHelp")}
          value={null}
          onChange={add}
          error={error}
          {...(path !== undefined && { "data-path": path })}
        />
      )}
      {can("listProductCollections") && (
        <RecordSelect source={COLLECTIONS} label={t("rules.addCollection")} value={null} onChange={add} />
      )}
    </Stack>
  );
}

/** Which products a discount takes: all, only some, or all except some. */
export default function GoodsField({ defaultValue = ALL_GOODS, onChange, error, place, "data-path": path }: Props) {
  const t = useText();
  const [goods, setGoods] = useState(defaultValue);
  const put = (change: Partial<Goods>) => {
    const next = { ...goods, ...change };
    setGoods(next);
    // What was chosen stays at hand here, and counts for nothing while all products are taken.
    onChange?.(next.which === "all" ? ALL_GOODS : next);
  };
  if (place.kind === "closed") return <Text size="sm">{t("goods.closed")}</Text>;
  return (
    <Stack gap="md">
      <Radio.Group
        label={t("goods.title")}
        {...(place.kind === "shared" && { description: t("goods.shared", { name: place.rule.name }) })}
        value={goods.which}
        onChange={(which) => put({ which: which as Goods["which"] })}
      >
        <Stack gap="sm" mt="sm">
          {CHOICES.map((which) => (
            <Radio key={which} value={which} label={t(`goods.which.${which}`)} />
          ))}
        </Stack>
      </Radio.Group>
      {goods.which !== "all" && (
        <Picker
          picked={goods.picked}
          put={(picked) => put({ picked })}
          error={error}
          {...(path !== undefined && { "data-path": path })}
        />
      )}
    </Stack>
  );
}
