import { Button, Group } from "@mantine/core";
import {
  activateCardPendingPointsBucket,
  cancelCardPendingPointsBucket,
  listCardExpiringPoints,
  listCardPendingPoints,
} from "../../api/operations.gen.ts";
import { useProject } from "../../api/session.ts";
import { useOp } from "../../api/use-op.ts";
import { confirm } from "../../kit/confirm/confirm.ts";
import { formatDay } from "../../kit/date/date.ts";
import { Can } from "../../kit/page/can.tsx";
import { Section } from "../../kit/page/section.tsx";
import { Loaded } from "../../kit/states/loaded.tsx";
import { useAct } from "../../kit/undo/use-act.ts";
import { useText } from "../../text/text.ts";
import { Table } from "./table.tsx";

export type CardParams = { programId: string; memberId: string; cardId: string };
const ALL = 100;
/** A day without a time is the same day everywhere. */
export const DAY_ZONE = "UTC";

/** Points by the day on which they expire. */
export function ExpiringLots({ params }: { params: CardParams }) {
  const t = useText();
  const { timezone } = useProject();
  const lots = useOp(listCardExpiringPoints, { ...params, limit: ALL });
  return (
    <Section title={t("loyalty.lots")} help={t("loyalty.lotsHelp")}>
      <Loaded of={lots}>
        {({ data }) => (
          <Table
            heads={["loyalty.points", "loyalty.expires", "loyalty.earnedOn"]}
            none="loyalty.noLots"
            rows={data.map(({ id, points, expiration_date, created_at }) => ({
              id,
              cells: [points.total, formatDay(expiration_date, DAY_ZONE), formatDay(created_at, timezone)],
            }))}
          />
        )}
      </Loaded>
    </Section>
  );
}

function PendingActs({ params, bucketId, points }: { params: CardParams; bucketId: string; points: number }) {
  const t = useText();
  const activate = useAct(activateCardPendingPointsBucket);
  const cancel = useAct(cancelCardPendingPointsBucket);
  const all = { params: { ...params, bucketId } };
  const act = async (kind: "activate" | "cancel") => {
    const title = t(kind === "activate" ? "loyalty.activateLot" : "loyalty.cancelLot", { count: points });
    const says = t(kind === "activate" ? "loyalty.activateLotSays" : "loyalty.cancelLotSays");
    if (!(await confirm({ title, says, act: title, isDangerous: kind === "cancel" }))) return;
    if (kind === "activate") await activate.run(all, t("loyalty.lotActivated"));
    else await cancel.run(all, t("loyalty.lotCanceled"));
  };
  return (
    <Group gap="xs">
      <Can do="activateCardPendingPointsBucket">
        <Button size="compact-sm" variant="default" onClick={() => void act("activate")}>
          {t("loyalty.giveNow")}
        </Button>
      </Can>
      <Can do="cancelCardPendingPointsBucket">
        <Button size="compact-sm" variant="default" onClick={() => void act("cancel")}>
          {t("loyalty.takeBack")}
        </Button>
      </Can>
    </Group>
  );
}

/** Points that were earned and may not be spent yet. */
export function PendingLots({ params }: { params: CardParams }) {
  const t = useText();
  const lots = useOp(listCardPendingPoints, { ...params, limit: ALL });
  return (
    <Section title={t("loyalty.pending")} help={t("loyalty.pendingHelp")}>
      <Loaded of={lots}>
        {({ data }) => (
          <Table
            heads={["loyalty.points", "loyalty.availableOn", "loyalty.actions"]}
            none="loyalty.noPending"
            rows={data.map(({ id, points, date }) => ({
              id,
              cells: [
                points.total,
                formatDay(date, DAY_ZONE),
                <PendingActs key={id} params={params} bucketId={id} points={points.total} />,
              ],
            }))}
          />
        )}
      </Loaded>
    </Section>
  );
}
