import { Alert, Button, FileInput, Group, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import { useSearchParams } from "react-router";
import { importCampaignVouchersCsv, importVouchersCsv } from "../../api/operations.gen.ts";
import { send } from "../../api/send.ts";
import { CAMPAIGNS } from "../../api/sources.ts";
import { ShowAsCall } from "../../kit/call/show-as-call.tsx";
import { Select } from "../../kit/later/fields.ts";
import { PageHead } from "../../kit/page/page-head.tsx";
import { Panel } from "../../kit/page/panel.tsx";
import { type Option, RecordSelect } from "../../kit/pick/record-select.tsx";
import { errorWord } from "../../kit/states/error-word.ts";
import { useText } from "../../text/text.ts";
import classes from "./codes.module.css";
import { type CsvHead, guess, openFile, readHead, withColumns } from "./csv-file.ts";
import { ActionProgress } from "./progress.tsx";

const OWN_FIELDS = [
  ...["Code", "Voucher Type", "Value", "Discount Type", "Category", "Start Date", "Expiration Date"],
  ...["Redemption Limit", "Redeemed Quantity", "Redeemed Amount", "Active", "Additional Info"],
];
const CAMPAIGN_FIELDS = [
  ...["Code", "Category", "Active", "Gift Amount", "Redeemed Amount", "Redeemed Quantity", "Loyalty Points"],
  ...["Start Date", "Expiration Date", "Additional Info"],
];
type Chosen = { file: File; content: Blob; text: string; head: CsvHead };

function Preview({ head: { columns, rows } }: { head: CsvHead }) {
  const t = useText();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reached by keys.
    <section className={classes.preview} aria-label={t("codes.firstRows")} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place in the file.
            <tr key={place}>
              {columns.map((name, cell) => (
                <td key={name}>{row[cell]}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

type MappingProps = {
  fields: readonly string[];
  columns: readonly string[];
  mapping: Record<string, string>;
  onChange: (next: Record<string, string>) => void;
};

/** For each field the column that it is read from. Columns that no field takes become metadata. */
function Mapping({ fields, columns, mapping, onChange }: MappingProps) {
  const t = useText();
  const rest = columns.filter((column) => !Object.values(mapping).includes(column));
  return (
    <>
      <div className={classes.mapping}>
        {fields.map((field) => (
          <Select
            key={field}
            label={field}
            placeholder={t("codes.noColumn")}
            data={[...new Set(columns)].filter((name) => name !== "")}
            value={mapping[field] ?? null}
            clearable
            clearButtonProps={{ "aria-label": t("kit.clearFilters") }}
            error={field === "Code" && mapping.Code === undefined && t("codes.codeColumn")}
            onChange={(column) => {
              const { [field]: _, ...others } = mapping;
              onChange(column === null ? others : { ...others, [field]: column });
            }}
          />
        ))}
      </div>
      {rest.length > 0 && (
        <Text size="sm" c="dimmed" mt="md">
          {t("codes.toMetadata", { columns: rest.join(", ") })}
        </Text>
      )}
    </>
  );
}

/** Where the file goes: into a campaign, or among the codes that belong to none. */
const callOf = (campaign: Option | null, isTrial: boolean) => {
  const dry_run = isTrial ? { dry_run: true } : {};
  return campaign
    ? { operation: importCampaignVouchersCsv, params: { campaignId: campaign.value, ...dry_run } }
    : { operation: importVouchersCsv, params: dry_run };
};

/** Sends the file, with its columns named as the fields that were chosen for them. */
async function upload(
  { file, content, text, head }: Chosen,
  mapping: Record<string, string>,
  campaign: Option | null,
  isTrial: boolean,
) {
  const fieldOf = new Map(Object.entries(mapping).map(([field, column]) => [column, field]));
  const names = head.columns.map((column) => fieldOf.get(column) ?? column);
  const body = new FormData();
  body.set("file", withColumns(content, text, head, names), file.name);
  const { operation, params } = callOf(campaign, isTrial);
  return (await send(operation as typeof importVouchersCsv, params, { body })).async_action_id;
}

export default function ImportCodes() {
  const t = useText();
  const [query, setQuery] = useSearchParams();
  const [campaign, setCampaign] = useState<Option | null>(null);
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const [mapping, setMapping] = useState<Record<string, string>>({});
  const [trial, setTrial] = useState<string | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [isBusy, setBusy] = useState(false);
  const action = query.get("action");
  const fields = campaign ? CAMPAIGN_FIELDS : OWN_FIELDS;
  const choose = async (file: File | null) => {
    setTrial(null);
    setError(null);
    if (file === null) return setChosen(null);
    const { content, text } = await openFile(file);
    const head = readHead(text);
    setChosen({ file, content, text, head });
    setMapping(guess(fields, head.columns));
  };
  const start = async (isTrial: boolean) => {
    if (!chosen) return;
    setBusy(true);
    setError(null);
    try {
      const id = await upload(chosen, mapping, campaign, isTrial);
      if (isTrial) setTrial(id);
      else setQuery({ action: id });
    } catch (fault) {
      setError(fault as Error);
    } finally {
      setBusy(false);
    }
  };
  if (action)
    return (
      <>
        <PageHead title={t("codes.import")} />
        <Panel>
          <ActionProgress id={action} />
          <Button mt="lg" variant="default" onClick={() => setQuery({})}>
            {t("codes.anotherFile")}
          </Button>
        </Panel>
      </>
    );
  return (
    <>
      <PageHead title={t("codes.import")} below={t("codes.importHelp")}>
        <ShowAsCall {...callOf(campaign, false)} file={chosen?.file.name ?? "codes.csv"} />
      </PageHead>
      <Stack gap="lg">
        <Panel>
          <Stack gap="lg" maw={560}>
            <FileInput
              label={t("codes.file")}
              description={t("codes.fileHelp")}
              accept=".csv,text/csv"
              clearable
              clearButtonProps={{ "aria-label": t("codes.otherFile") }}
              value={chosen?.file ?? null}
              onChange={(file) => void choose(file)}
            />
            <RecordSelect
              source={CAMPAIGNS}
              label={t("codes.intoCampaign")}
              description={t("codes.intoCampaignHelp")}
              value={campaign}
              onChange={(next) => {
                setCampaign(next);
                setTrial(null);
                if (chosen) setMapping(guess(next ? CAMPAIGN_FIELDS : OWN_FIELDS, chosen.head.columns));
              }}
              clearButtonProps={{ "aria-label": t("kit.clearFilters") }}
            />
          </Stack>
        </Panel>
        {chosen && (
          <Panel>
            <Title order={2} mb="sm">
              {t("codes.mapping")}
            </Title>
            <Mapping
              fields={fields}
              columns={chosen.head.columns}
              mapping={mapping}
              onChange={(next) => {
                setTrial(null);
                setMapping(next);
              }}
            />
            <Title order={3} mt="lg" mb="sm">
              {t("codes.firstRows")}
            </Title>
            <Preview head={chosen.head} />
          </Panel>
        )}
        {error && (
          <Alert color="red" variant="light" role="alert">
            {errorWord(t, error)}
          </Alert>
        )}
        {trial && (
          <Panel>
            <Title order={2} mb="sm">
              {t("codes.trial")}
            </Title>
            <ActionProgress key={trial} id={trial} />
          </Panel>
        )}
        {chosen && (
          <Group>
            <Button variant={trial ? "default" : "filled"} loading={isBusy} onClick={() => void start(true)}>
              {t("codes.tryIt")}
            </Button>
            <Button variant={trial ? "filled" : "default"} loading={isBusy} onClick={() => void start(false)}>
              {t("codes.importNow")}
            </Button>
          </Group>
        )}
      </Stack>
    </>
  );
}
