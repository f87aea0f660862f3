import { Alert, Button, FileInput, Group, Stack, Title } from "@mantine/core";
import { useEffect, useState } from "react";
import { useSearchParams } from "react-router";
import { importCampaignVouchersCsv, importVouchersCsv } from "../../api/operations.gen.ts";
import { send } from "../../api/send.ts";
import { CAMPAIGNS_TAKING_CODES } from "../../api/sources.ts";
import { ShowAsCall } from "../../kit/call/show-as-call.tsx";
import { Select } from "../../kit/later/fields.ts";
import { PageHead } from "../../kit/page/page-head.tsx";
import { Panel } from "../../kit/page/panel.tsx";
import { type Option, RecordSelect } from "../../kit/pick/record-select.tsx";
import { errorWord } from "../../kit/states/error-word.ts";
import { useText } from "../../text/text.ts";
import { type CsvHead, guess, openFile, readHead, withColumns, withFixed } from "./csv-file.ts";
import { type Field, fieldsOf, GIVES, type Gives } from "./import-fields.ts";
import { Mapping, Preview } from "./mapping.tsx";
import { ActionProgress } from "./progress.tsx";

type Chosen = { file: File; content: Blob; text: string; head: CsvHead };

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
  { campaign, gives, isTrial }: { campaign: Option | null; gives: Gives | null; isTrial: boolean },
) {
  const fixed = campaign || gives === null ? {} : GIVES[gives];
  const fieldOf = new Map(Object.entries(mapping).map(([field, column]) => [column, field]));
  // A column that is named as what is told for all rows would be there twice.
  const names = head.columns.map((column) => fieldOf.get(column) ?? (column in fixed ? `${column} 2` : column));
  const body = new FormData();
  body.set("file", await withFixed(withColumns(content, text, head, names), head.separator, fixed), file.name);
  const { operation, params } = callOf(campaign, isTrial);
  return (await send(operation as typeof importVouchersCsv, params, { body })).async_action_id;
}

/** The file, where its codes go, what they give, and which column is what. */
function useFile() {
  const [campaign, setCampaign] = useState<Option | null>(null);
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const [mapping, setMapping] = useState<Record<string, string>>({});
  const [gives, setGives] = useState<Gives | null>(null);
  /** What somebody said about a column is kept, where it still is one. */
  const map = (columns: readonly string[] | undefined, into: Option | null, kind: Gives | null) => {
    setCampaign(into);
    setGives(kind);
    if (!columns) return;
    const wanted = fieldsOf(into !== null, kind);
    const isKept = ([field, column]: [string, string]) => wanted.includes(field as Field) && columns.includes(column);
    setMapping((old) => ({ ...guess(wanted, columns), ...Object.fromEntries(Object.entries(old).filter(isKept)) }));
  };
  const choose = async (file: File | null) => {
    if (file === null) return setChosen(null);
    const { content, text } = await openFile(file);
    const head = readHead(text);
    setChosen({ file, content, text, head });
    const saysKind = "Voucher Type" in guess(fieldsOf(false, "file"), head.columns);
    map(head.columns, campaign, saysKind ? "file" : gives === "file" ? null : gives);
  };
  const columns = chosen?.head.columns;
  return {
    ...{ campaign, chosen, mapping, gives, setMapping, choose },
    chooseCampaign: (next: Option | null) => map(columns, next, gives),
    chooseKind: (kind: Gives) => map(columns, null, kind),
    needsKind: campaign === null && gives === null,
  };
}
type FileState = ReturnType<typeof useFile>;

function Source({ state, isPressed }: { state: FileState; isPressed: boolean }) {
  const t = useText();
  const { campaign, chosen, gives } = state;
  return (
    <Panel>
      <Stack gap="lg" maw={560}>
        <FileInput
          label={t("codes.file")}
          description={t("codes.fileHelp")}
          accept=".csv,text/csv"
          clearable
          clearButtonProps={{ "aria-label": t("codes.otherFile") }}
          value={chosen?.file ?? null}
          onChange={(file) => void state.choose(file)}
        />
        <RecordSelect
          source={CAMPAIGNS_TAKING_CODES}
          label={t("codes.intoCampaign")}
          description={t("codes.intoCampaignHelp")}
          value={campaign}
          onChange={state.chooseCampaign}
          clearButtonProps={{ "aria-label": t("kit.clearFilters") }}
        />
        {campaign === null && (
          <Select
            label={t("codes.codesGive")}
            description={gives === null ? t("codes.givesHelp") : t(`codes.givesHelps.${gives}`)}
            data={Object.keys(GIVES).map((value) => ({ value, label: t(`codes.giving.${value as Gives}`) }))}
            value={gives}
            allowDeselect={false}
            error={isPressed && state.needsKind && t("codes.givesNeeded")}
            onChange={(kind) => kind && state.chooseKind(kind as Gives)}
          />
        )}
      </Stack>
    </Panel>
  );
}

export default function ImportCodes() {
  const t = useText();
  const [query, setQuery] = useSearchParams();
  const state = useFile();
  const { campaign, chosen, mapping, gives } = state;
  const [trial, setTrial] = useState<string | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [isPressed, setPressed] = useState(false);
  const action = query.get("action");
  // Another file, campaign, kind or column: what was tried before says nothing about it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: they are what was tried.
  useEffect(() => {
    setTrial(null);
    setError(null);
  }, [chosen, campaign, gives, mapping]);
  const start = async (isTrial: boolean) => {
    setPressed(true);
    if (!chosen || state.needsKind) return;
    setBusy(true);
    setError(null);
    try {
      const id = await upload(chosen, mapping, { campaign, gives, isTrial });
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
        <Source state={state} isPressed={isPressed} />
        {chosen && (
          <Panel>
            <Title order={2} mb="sm">
              {t("codes.mapping")}
            </Title>
            <Mapping
              fields={fieldsOf(campaign !== null, gives)}
              columns={chosen.head.columns}
              mapping={mapping}
              onChange={state.setMapping}
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
