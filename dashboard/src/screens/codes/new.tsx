import { Alert, Button, Group, SegmentedControl, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { Link, useNavigate, useSearchParams } from "react-router";
import { addVouchersToCampaign } from "../../api/operations.gen.ts";
import { CAMPAIGNS_TAKING_CODES } from "../../api/sources.ts";
import { useSend } from "../../api/use-op.ts";
import { ShowFormAsCall } from "../../kit/call/show-as-call.tsx";
import { NumberInput } from "../../kit/later/fields.ts";
import { formatCount } from "../../kit/money/count.ts";
import { PageHead } from "../../kit/page/page-head.tsx";
import { Panel } from "../../kit/page/panel.tsx";
import { type Option, RecordSelect } from "../../kit/pick/record-select.tsx";
import { errorWord } from "../../kit/states/error-word.ts";
import { notifyDone } from "../../kit/undo/undo.tsx";
import { useText } from "../../text/text.ts";
import { OwnCode } from "./own-code.tsx";
import { ActionProgress } from "./progress.tsx";

/** Codes of a campaign: one, with a text of one's own, or many that the server makes up. */
function InCampaign() {
  const t = useText();
  const navigate = useNavigate();
  const [query, setQuery] = useSearchParams();
  const add = useSend(addVouchersToCampaign);
  const given = query.get("campaign_id");
  const [campaign, setCampaign] = useState<Option | null>(given ? { value: given, label: given } : null);
  const [count, setCount] = useState<string | number>(1);
  const [code, setCode] = useState("");
  const [isPressed, setPressed] = useState(false);
  const many = typeof count === "number" && count >= 1 ? count : null;
  const written = {
    params: { campaignId: campaign?.value ?? "CAMPAIGN", vouchers_count: many ?? 1 },
    body: many === 1 && code.trim() !== "" ? { code: code.trim() } : {},
  };
  const make = async () => {
    setPressed(true);
    if (!campaign || many === null) return;
    const answer = await add.mutateAsync(written).catch(() => null);
    if (answer === null) return;
    if ("async_action_id" in answer) return setQuery({ action: answer.async_action_id, campaign_id: campaign.value });
    notifyDone(t("codes.made", { code: answer.code }));
    await navigate(`/codes/${encodeURIComponent(answer.code)}`);
  };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void make();
      }}
    >
      <Stack gap="lg" maw={560}>
        {add.error && (
          <Alert color="red" variant="light" role="alert">
            {errorWord(t, add.error)}
          </Alert>
        )}
        <RecordSelect
          source={CAMPAIGNS_TAKING_CODES}
          label={t("codes.campaign")}
          value={campaign}
          onChange={setCampaign}
          error={isPressed && !campaign && t("kit.form.required")}
          clearButtonProps={{ "aria-label": t("kit.clearFilters") }}
        />
        <NumberInput
          label={t("codes.howMany")}
          value={count}
          onChange={setCount}
          min={1}
          allowDecimal={false}
          thousandSeparator=" "
          error={isPressed && many === null && t("kit.form.required")}
        />
        {many === 1 && (
          <TextInput
            label={t("codes.code")}
            description={t("codes.codeHelp")}
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
          />
        )}
        <Group>
          <Button type="submit" loading={add.isPending}>
            {t("codes.makeMany", { count: many ?? 1, shown: formatCount(many ?? 1) })}
          </Button>
          <ShowFormAsCall of={async () => [{ operation: addVouchersToCampaign, ...written }]} />
        </Group>
      </Stack>
    </form>
  );
}

export default function NewCodes() {
  const t = useText();
  const [query, setQuery] = useSearchParams();
  const action = query.get("action");
  const kind = query.get("kind") === "own" ? "own" : "campaign";
  return (
    <>
      <PageHead title={t("codes.new")} />
      <Panel>
        {action ? (
          <Stack gap="lg">
            <ActionProgress id={action} />
            <Group>
              <Button component={Link} to={`/codes?campaign_id=${query.get("campaign_id") ?? ""}`}>
                {t("codes.toList")}
              </Button>
              <Button variant="default" onClick={() => setQuery({})}>
                {t("codes.another")}
              </Button>
            </Group>
          </Stack>
        ) : (
          <>
            <SegmentedControl
              mb="lg"
              aria-label={t("codes.new")}
              value={kind}
              onChange={(next) => setQuery(next === "own" ? { kind: "own" } : {}, { replace: true })}
              data={[
                { value: "campaign", label: t("codes.inCampaign") },
                { value: "own", label: t("codes.byItself") },
              ]}
            />
            {kind === "own" ? <OwnCode /> : <InCampaign />}
          </>
        )}
      </Panel>
    </>
  );
}
