import { Group, Text } from "@mantine/core";
import { useState } from "react";
import { type Campaign, getCampaign, updateCampaign } from "../../../api/operations.gen.ts";
import { sendFor } from "../../../api/send.ts";
import { useRecord } from "../../../api/use-op.ts";
import type { Unit } from "../../../kit/date/length.ts";
import { Edited } from "../../../kit/form/edited.tsx";
import { LengthField } from "../../../kit/form/length-field.tsx";
import { RecordForm } from "../../../kit/form/record-form.tsx";
import { useRecordForm, type Version } from "../../../kit/form/use-record-form.ts";
import { Select } from "../../../kit/later/fields.ts";
import { notifyDone } from "../../../kit/undo/undo.tsx";
import { months } from "../../../registry/points-expiry.ts";
import { useText } from "../../../text/text.ts";
import { PartWindow } from "./part.tsx";
import {
  countedBy,
  ENDS,
  PERIODS,
  ROUNDINGS,
  roundingWord,
  sentTerms,
  type Terms,
  termsFaults,
  termsOf,
  termsSay,
} from "./terms.ts";

type Props = { campaignId: string; onClose: () => void };
/** Tiers begin and end with days. */
const UNITS: readonly Unit[] = ["months", "days", "weeks", "years"];

const versionOf = ({ body, etag }: { body: Campaign; etag: string | null }): Version<Terms> => ({
  values: termsOf(body.loyalty_tiers_expiration),
  etag,
});

function Fields({ campaignId, from, onClose }: Props & { from: Version<Terms> }) {
  const t = useText();
  const [shown, setShown] = useState(from.values);
  const state = useRecordForm<Terms>({
    record: `campaign-tiers:${campaignId}`,
    from,
    validate: (typed) => termsFaults(typed, t),
    save: (send, changes, version) => {
      const body = { loyalty_tiers_expiration: sentTerms({ ...from.values, ...changes }) };
      return send(updateCampaign, { params: { campaignId }, body, ...version });
    },
    readAgain: async () => versionOf(await sendFor(getCampaign, { campaignId })),
    onSaved: () => {
      notifyDone(t("kit.form.saved"));
      onClose();
    },
    onEdit: (values) => setShown({ ...values }),
  });
  const { form } = state;
  const labels = {
    ...{ counts: t("terms.counts"), period: t("terms.period"), starts: t("terms.starts"), ends: t("terms.ends") },
    ...{ rounding: t("terms.rounding"), strategy: t("terms.strategy"), month: t("points.fields.fixed_month") },
    extend: t(shown.ends === "CUSTOM" ? "terms.howLong" : "terms.extend"),
  };
  const choice = (field: Exclude<keyof Terms, "extend">, options: readonly (readonly [string, string])[]) => (
    <Select
      label={labels[field]}
      allowDeselect={false}
      data={options.map(([value, label]) => ({ value, label }))}
      value={String(shown[field])}
      onChange={(chosen) =>
        field === "counts"
          ? form.setValues(countedBy(chosen as Terms["counts"]))
          : form.setFieldValue(field, (field === "month" ? Number(chosen) : chosen) as never)
      }
      error={form.errors[field]}
      data-path={field}
    />
  );
  const isPeriod = shown.counts === "POINTS_IN_PERIOD";
  return (
    <RecordForm state={state} labels={labels}>
      {choice(
        "counts",
        (["BALANCE", "POINTS_IN_PERIOD"] as const).map((one) => [one, t(`terms.countsBy.${one}`)]),
      )}
      {isPeriod && (
        <Group align="flex-start">
          {choice(
            "period",
            PERIODS.map((one) => [one, t(`terms.periods.${one}`)]),
          )}
          {choice(
            "starts",
            (["IMMEDIATE", "NEXT_PERIOD"] as const).map((one) => [one, t(`terms.startsAt.${one}`)]),
          )}
        </Group>
      )}
      {choice(
        "ends",
        ENDS[shown.counts].map((one) => [one, t(`terms.endsAt.${one}`)]),
      )}
      {shown.ends !== "BALANCE_DROP" && (
        <>
          <LengthField
            key={`${form.key("extend")}-${shown.ends === "CUSTOM"}`}
            label={labels.extend}
            units={UNITS}
            required={shown.ends === "CUSTOM"}
            {...form.getInputProps("extend")}
            defaultValue={shown.extend}
          />
          <Group align="flex-start">
            {choice(
              "rounding",
              ROUNDINGS.map((one) => [one, roundingWord(one, t)]),
            )}
            {shown.rounding !== "none" &&
              choice(
                "strategy",
                (["END", "START"] as const).map((one) => [one, t(`terms.strategies.${one}`)]),
              )}
            {shown.rounding === "CUSTOM" &&
              choice(
                "month",
                months().map((name, place) => [String(place), name]),
              )}
          </Group>
        </>
      )}
      <Text role="status">{termsSay(shown, t)}</Text>
      <Text size="sm" c="dimmed">
        {t("terms.again")}
      </Text>
    </RecordForm>
  );
}

/** How members of a campaign reach a tier, and how long it lasts. It is one setting for all tiers. */
export default function TermsWindow(props: Props) {
  const t = useText();
  const record = useRecord(getCampaign, { campaignId: props.campaignId });
  return (
    <PartWindow title={t("terms.title")} onClose={props.onClose}>
      <Edited of={record}>{(read) => <Fields {...props} from={versionOf(read)} />}</Edited>
    </PartWindow>
  );
}
