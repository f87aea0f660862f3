import { Alert, Button, Group, Stack } from "@mantine/core";
import { useState } from "react";
import { useNavigate } from "react-router";
import { getTestClock, moveTestClock } from "../../api/operations.gen.ts";
import { useProject } from "../../api/session.ts";
import { useOp } from "../../api/use-op.ts";
import { ShowAsCall } from "../../kit/call/show-as-call.tsx";
import { confirm } from "../../kit/confirm/confirm.ts";
import { formatMoment } from "../../kit/date/date.ts";
import { MomentField } from "../../kit/form/moment-field.tsx";
import { Can } from "../../kit/page/can.tsx";
import { Facts } from "../../kit/page/facts.tsx";
import { PageHead } from "../../kit/page/page-head.tsx";
import { Section } from "../../kit/page/section.tsx";
import { Loaded } from "../../kit/states/loaded.tsx";
import { useAct } from "../../kit/undo/use-act.ts";
import { useText } from "../../text/text.ts";
import { SettingsFrame } from "./frame.tsx";

const DAY_MS = 86_400_000;
const STEPS = [1, 7, 30, 365] as const;
const EVERY_MS = 10_000;

function Clock() {
  const t = useText();
  const navigate = useNavigate();
  const { id: projectId, timezone } = useProject();
  const clock = useOp(getTestClock, { projectId }, { everyMs: EVERY_MS });
  const move = useAct(moveTestClock);
  const [wanted, setWanted] = useState<string | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const moveTo = async (now: string) => {
    const time = formatMoment(now, timezone);
    const act = t("settings.moveTo", { time });
    if (!(await confirm({ title: t("settings.moveClock"), says: t("settings.moveSays"), act }))) return;
    const moved = await move.run({ params: { projectId }, body: { now } }, t("settings.moved", { time }));
    if (moved) void navigate(`/settings/jobs/${moved.answer.async_action_id}`);
  };
  return (
    <Section title={t("settings.clock")} help={t("settings.clockHelp")}>
      <Loaded of={clock} rows={2}>
        {({ now, offset_ms }) => (
          <Stack>
            <Facts
              of={{
                [t("settings.projectTime")]: formatMoment(now, timezone),
                [t("settings.ahead")]:
                  offset_ms === 0
                    ? t("settings.notMoved")
                    : t("settings.days", { count: Math.round(offset_ms / DAY_MS) }),
              }}
            />
            <Can do="moveTestClock">
              <Group gap="sm">
                {STEPS.map((days) => (
                  <Button
                    key={days}
                    variant="default"
                    onClick={() => void moveTo(new Date(Date.parse(now) + days * DAY_MS).toISOString())}
                  >
                    {t("settings.forward", { count: days })}
                  </Button>
                ))}
              </Group>
              <Group align="flex-end" gap="sm">
                <MomentField label={t("settings.moment")} error={fault} onChange={setWanted} />
                <Button
                  loading={move.isPending}
                  onClick={() => {
                    const isLater = wanted !== null && wanted > now;
                    setFault(isLater ? null : t("settings.onlyForward"));
                    if (isLater) void moveTo(wanted);
                  }}
                >
                  {t("settings.moveClock")}
                </Button>
              </Group>
            </Can>
          </Stack>
        )}
      </Loaded>
    </Section>
  );
}

export default function Sandbox() {
  const t = useText();
  const { id: projectId, is_sandbox } = useProject();
  return (
    <SettingsFrame>
      <PageHead title={t("settings.sandbox")} below={t("settings.sandboxHelp")}>
        <ShowAsCall operation={getTestClock} params={{ projectId }} />
      </PageHead>
      {is_sandbox ? <Clock /> : <Alert variant="light">{t("settings.noSandbox")}</Alert>}
    </SettingsFrame>
  );
}
