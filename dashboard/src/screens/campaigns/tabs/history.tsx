import { Accordion, Button, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { type Campaign, getAuditEntry, listAuditLog } from "../../../api/operations.gen.ts";
import { useCan, useProject } from "../../../api/session.ts";
import { useOp } from "../../../api/use-op.ts";
import { formatMoment } from "../../../kit/date/date.ts";
import { DifferenceTable } from "../../../kit/json/difference-table.tsx";
import { Empty, Failure, LoadingRows } from "../../../kit/states/states.tsx";
import { operationWord } from "../../../registry/operation-word.ts";
import { actorWord } from "../../../registry/words.ts";
import { useText } from "../../../text/text.ts";

const FEW = 20;
const MANY = 100;
const ACTIONS = {
  CREATED: "campaigns.wasCreated",
  UPDATED: "campaigns.wasUpdated",
  DELETED: "campaigns.wasDeleted",
} as const;

function Change({ id }: { id: string }) {
  const { data, error, refetch } = useOp(getAuditEntry, { auditEntryId: id });
  if (data) return <DifferenceTable before={data.before} after={data.after} />;
  return error ? <Failure error={error} retry={() => void refetch()} /> : <LoadingRows rows={3} />;
}

/** Who changed a campaign, when, and what it was before. */
export default function History({ record }: { record: Campaign }) {
  const t = useText();
  const can = useCan();
  const { timezone } = useProject();
  const [limit, setLimit] = useState(FEW);
  const [open, setOpen] = useState<string | null>(null);
  const { data, error, refetch } = useOp(listAuditLog, { object_id: record.id, limit }, { keepOld: true });
  if (data === undefined) return error ? <Failure error={error} retry={() => void refetch()} /> : <LoadingRows />;
  if (data.data.length === 0) return <Empty title="campaigns.noHistory" />;
  return (
    <Stack gap="lg">
      <Accordion variant="separated" value={open} onChange={setOpen}>
        {data.data.map((entry) => (
          <Accordion.Item key={entry.id} value={entry.id}>
            <Accordion.Control disabled={!can("getAuditEntry")}>
              <Text fw={600} size="sm">
                {t(ACTIONS[entry.action])} · {formatMoment(entry.created_at, timezone)}
              </Text>
              <Text size="xs" c="dimmed">
                {operationWord(t, entry.operation)} · {actorWord(t, entry.actor)}
              </Text>
            </Accordion.Control>
            <Accordion.Panel>{open === entry.id && <Change id={entry.id} />}</Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
      {data.has_more && limit < MANY && (
        <Button variant="default" onClick={() => setLimit(MANY)}>
          {t("campaigns.older")}
        </Button>
      )}
    </Stack>
  );
}
