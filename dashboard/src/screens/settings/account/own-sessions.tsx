import { Badge, Button } from "@mantine/core";
import type { RowOf } from "../../../api/op.ts";
import { endOtherSessions, endOwnSession, listOwnSessions } from "../../../api/operations.gen.ts";
import { useOp } from "../../../api/use-op.ts";
import { type Column, moment } from "../../../kit/list/columns.tsx";
import { SmallTable } from "../../../kit/list/small-table.tsx";
import { Section } from "../../../kit/page/section.tsx";
import { Failure, LoadingRows } from "../../../kit/states/states.tsx";
import { useAct } from "../../../kit/undo/use-act.ts";
import { useText } from "../../../text/text.ts";

type OwnSession = RowOf<typeof listOwnSessions>;

function EndButton({ session }: { session: OwnSession }) {
  const t = useText();
  const end = useAct(endOwnSession);
  if (session.is_current) return <Badge variant="light">{t("account.here")}</Badge>;
  return (
    <Button
      size="xs"
      variant="default"
      loading={end.isPending}
      onClick={() => void end.run({ params: { sessionId: session.id } }, t("account.ended"))}
    >
      {t("account.end")}
    </Button>
  );
}

const COLUMNS: readonly Column<OwnSession>[] = [
  moment<OwnSession>("account.since", "created_at"),
  moment<OwnSession>("account.lastUsed", "last_used_at"),
  moment<OwnSession>("account.until", "ends_at"),
  {
    id: "end",
    title: "account.action",
    cell: (session) => <EndButton session={session} />,
    csv: () => null,
  },
];

/** Every browser in which somebody is signed in as this user. */
export function OwnSessions() {
  const t = useText();
  const { data, error, refetch } = useOp(listOwnSessions, {});
  const endOthers = useAct(endOtherSessions);
  const others = (data?.data ?? []).some(({ is_current }) => !is_current);
  const end = (
    <Button
      variant="default"
      size="xs"
      loading={endOthers.isPending}
      onClick={() => void endOthers.run({ params: {} }, t("account.othersEnded"))}
    >
      {t("account.endOthers")}
    </Button>
  );
  return (
    <Section title={t("account.sessions")} help={t("account.sessionsHelp")} {...(others && { actions: end })}>
      {data ? (
        <SmallTable rows={data.data} columns={COLUMNS} idOf={({ id }) => id} label={t("account.sessions")} />
      ) : error ? (
        <Failure error={error} retry={() => void refetch()} />
      ) : (
        <LoadingRows />
      )}
    </Section>
  );
}
