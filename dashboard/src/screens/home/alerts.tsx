import { Alert, Anchor, Stack } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { Link } from "react-router";
import { listAsyncActions, listCampaigns, listFailingWebhooks } from "../../api/operations.gen.ts";
import { useCan, useProject } from "../../api/session.ts";
import { useOp } from "../../api/use-op.ts";
import { formatMoment } from "../../kit/date/date.ts";
import { localeOf, useText } from "../../text/text.ts";
import { isFailed, isLate } from "./overdue.ts";

type Warning = { id: string; text: string; to: string };
const NEARLY_FULL = 0.9;
const MANY = 100;

/** As the list has it: 99.9% of a budget is not all of it. */
const percent = (share: number) =>
  new Intl.NumberFormat(localeOf(), { style: "percent", maximumFractionDigits: 0, roundingMode: "trunc" }).format(
    share,
  );

/** Running campaigns that have used most of their budget. */
function useBudgetWarnings(): Warning[] {
  const t = useText();
  const can = useCan();
  const params = { expand: "counters" as const, status: "ACTIVE" as const, limit: MANY };
  const { data } = useOp(listCampaigns, params, { enabled: can("listCampaigns") });
  return (data?.campaigns ?? []).flatMap(({ id, name, counters }) => {
    const share = counters?.budget ? counters.budget_used / counters.budget : 0;
    if (share < NEARLY_FULL) return [];
    return [{ id, text: t("home.budgetUsed", { name, percent: percent(share) }), to: `/campaigns/${id}` }];
  });
}

/** Long work that failed in the last days, or that nobody has gone on with for a while. */
function useJobWarnings(): Warning[] {
  const t = useText();
  const can = useCan();
  const { data } = useOp(listAsyncActions, { limit: MANY }, { enabled: can("listAsyncActions") });
  const actions = data?.async_actions ?? [];
  const now = Date.now();
  const [failed, late] = [actions.filter((one) => isFailed(one, now)), actions.filter((one) => isLate(one, now))];
  const to = "/settings/jobs";
  return [
    ...(failed.length === 0 ? [] : [{ id: "failed", text: t("home.jobsFailed", { count: failed.length }), to }]),
    ...(late.length === 0 ? [] : [{ id: "late", text: t("home.jobsLate", { count: late.length }), to }]),
  ];
}

/** Webhooks whose messages do not arrive, and those that were switched off for it. */
function useWebhookWarnings(): Warning[] {
  const t = useText();
  const can = useCan();
  const { id: projectId, timezone } = useProject();
  const { data } = useOp(listFailingWebhooks, { projectId }, { enabled: can("listFailingWebhooks") });
  return (data?.data ?? []).map(({ id, target_url: target, failed, deliveries, switched_off_at }) => ({
    id,
    text:
      switched_off_at === null
        ? t("home.webhookFails", { target, failed, of: deliveries })
        : t("home.webhookOff", { target, time: formatMoment(switched_off_at, timezone) }),
    to: `/webhooks/${id}`,
  }));
}

function WarningLine({ text, to }: Omit<Warning, "id">) {
  return (
    <Alert color="yellow" variant="light" icon={<IconAlertTriangle size={18} stroke={1.75} />} py="sm">
      <Anchor component={Link} to={to} c="inherit" underline="always" size="sm">
        {text}
      </Anchor>
    </Alert>
  );
}

/** What needs somebody. Nothing is shown when nothing does. */
export function Alerts() {
  const warnings = [...useBudgetWarnings(), ...useWebhookWarnings(), ...useJobWarnings()];
  return (
    <Stack gap="sm">
      {warnings.map(({ id, ...warning }) => (
        <WarningLine key={id} {...warning} />
      ))}
    </Stack>
  );
}
