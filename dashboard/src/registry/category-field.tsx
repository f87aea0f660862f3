import { useState } from "react";
import { CATEGORIES } from "../api/sources.ts";
import { type Option, RecordSelect } from "../kit/pick/record-select.tsx";
import { useText } from "../text/text.ts";

type Props = { defaultValue?: Option | null; onChange?: (chosen: Option | null) => void; error?: React.ReactNode };

/** The category that decides what an offer may be combined with. */
export function CategoryField({ defaultValue = null, onChange, error }: Props) {
  const t = useText();
  const [chosen, setChosen] = useState(defaultValue);
  const choose = (option: Option | null) => {
    setChosen(option);
    onChange?.(option);
  };
  return (
    <RecordSelect
      source={CATEGORIES}
      label={t("conditions.category")}
      description={t("conditions.categoryHelp")}
      placeholder={t("conditions.noCategory")}
      value={chosen}
      onChange={choose}
      error={error}
    />
  );
}
