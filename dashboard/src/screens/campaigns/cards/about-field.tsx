import { type ReactNode, useState } from "react";
import { listCampaignTiers } from "../../../api/operations.gen.ts";
import { SEGMENTS } from "../../../api/sources.ts";
import { useOp } from "../../../api/use-op.ts";
import { Select } from "../../../kit/later/fields.ts";
import { type Option, RecordSelect } from "../../../kit/pick/record-select.tsx";
import { useText } from "../../../text/text.ts";
import { ALL } from "./part.tsx";

type Props = {
  /** Null: nothing has to be named. */
  of: "segment" | "event" | "tier" | null;
  campaignId: string;
  events: ReadonlyMap<string, string>;
  value: string;
  onChange: (id: string) => void;
  disabled: boolean;
  error: ReactNode;
};
type PartProps = Omit<Props, "of">;

function SegmentAbout({ value, onChange, disabled, error }: PartProps) {
  const t = useText();
  const [chosen, setChosen] = useState<Option | null>(value === "" ? null : { value, label: value });
  return (
    <RecordSelect
      source={SEGMENTS}
      label={t("designer.whichSegment")}
      {...{ disabled, error }}
      value={chosen}
      onChange={(option) => {
        setChosen(option);
        onChange(option?.value ?? "");
      }}
    />
  );
}

function EventAbout({ events, value, onChange, disabled, error }: PartProps) {
  const t = useText();
  return (
    <Select
      label={t("designer.whichEvent")}
      {...{ disabled, error }}
      data={[...events].map(([id, name]) => ({ value: id, label: name }))}
      value={value === "" ? null : value}
      onChange={(id) => onChange(id ?? "")}
    />
  );
}

function TierAbout({ campaignId, value, onChange, disabled, error }: PartProps) {
  const t = useText();
  const { data } = useOp(listCampaignTiers, { campaignId, limit: ALL });
  return (
    <Select
      label={t("cards.whichTier")}
      {...{ disabled, error }}
      data={data?.data.map(({ id, name }) => ({ value: id, label: name })) ?? []}
      value={value === "" ? null : value}
      onChange={(id) => onChange(id ?? "")}
    />
  );
}

const PARTS = { segment: SegmentAbout, event: EventAbout, tier: TierAbout };

/** The segment, the event or the tier that an earning rule is about. */
export function AboutField({ of, ...props }: Props) {
  if (of === null) return null;
  const Part = PARTS[of];
  return <Part {...props} />;
}
