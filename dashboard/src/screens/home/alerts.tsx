import { Alert, Anchor, Stack } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { Link } from "react-router";
import { listAsyncActions, listCampaigns } from "../../api/operations.gen.ts";
import { useCan } from "../../api/session.ts";
import { useOp } from "../../api/use-op.ts";
import { localeOf, useText } from "../../text/text.ts";

type Warning = { id: string; text: string; to?: string };
const NEARLY_FULL = 0.9;
const MANY = 100;
const DAY_MS = 86_400_000;
const RECENT_DAYS = 7;

const percent = (share: number) =>
  new Intl.NumberFormat(localeOf(), { style: "percent", maximumFractionDigits: 0 }).format(share);

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

/** Long work of the last days that failed. */
function useJobWarnings(): Warning[] {
  const t = useText();
  const can = useCan();
  const { data } = useOp(listAsyncActions, { limit: MANY }, { enabled: can("listAsyncActions") });
  const since = Date.now() - RECENT_DAYS * DAY_MS;
  const failed = (data?.async_actions ?? []).filter(
    ({ status, operation_status, created_at }) =>
      (status === "FAILED" || operation_status === "FAILED") && Date.parse(created_at) > since,
  );
  return failed.length === 0 ? [] : [{ id: "jobs", text: t("home.jobsFailed", { count: failed.length }) }];
}

/** What needs somebody. Nothing is shown when nothing does. */
export function Alerts() {
  const warnings = [...useBudgetWarnings(), ...useJobWarnings()];
  if (warnings.length === 0) return null;
  return (
    <Stack gap="sm">
      {warnings.map(({ id, text, to }) => (
        <Alert key={id} color="yellow" variant="light" icon={<IconAlertTriangle size={18} stroke={1.75} />} py="sm">
          {to === undefined ? (
            text
          ) : (
            <Anchor component={Link} to={to} c="inherit" underline="always" size="sm">
              {text}
            </Anchor>
          )}
        </Alert>
      ))}
    </Stack>
  );
}
