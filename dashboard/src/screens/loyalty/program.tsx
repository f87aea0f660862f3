import { Button } from "@mantine/core";
import { useParams } from "react-router";
import { activateProgram, deactivateProgram, getProgram, type LoyaltyProgram } from "../../api/operations.gen.ts";
import { useCan, useProject } from "../../api/session.ts";
import { useOp } from "../../api/use-op.ts";
import { confirm } from "../../kit/confirm/confirm.ts";
import { formatPeriod } from "../../kit/date/date.ts";
import { Page } from "../../kit/page/page.tsx";
import { useAct } from "../../kit/undo/use-act.ts";
import { useText } from "../../text/text.ts";

function Switch({ program }: { program: LoyaltyProgram }) {
  const t = useText();
  const can = useCan();
  const activate = useAct(activateProgram);
  const deactivate = useAct(deactivateProgram);
  const params = { programId: program.id };
  const isActive = program.status === "ACTIVE";
  if (!can(isActive ? "deactivateProgram" : "activateProgram")) return null;
  const press = async () => {
    if (isActive) return deactivate.run({ params }, t("loyalty.stopped"), () => activate.run({ params }));
    const act = t("loyalty.activate");
    if (!(await confirm({ title: program.name, says: t("loyalty.activateSays"), act }))) return;
    return activate.run({ params }, t("loyalty.started"));
  };
  return (
    <Button
      variant={isActive ? "default" : "filled"}
      loading={activate.isPending || deactivate.isPending}
      onClick={() => void press()}
    >
      {t(isActive ? "loyalty.deactivate" : "loyalty.activate")}
    </Button>
  );
}

export default function ProgramPage() {
  const t = useText();
  const { timezone } = useProject();
  const { programId = "" } = useParams();
  const program = useOp(getProgram, { programId });
  const words = {
    from: (day: string) => t("kit.date.from", { day }),
    until: (day: string) => t("kit.date.until", { day }),
  };
  return (
    <Page
      of={program}
      title={(one) => one.name}
      status={(one) => one.status}
      below={(one) => formatPeriod(one.start_date, one.end_date, timezone, words) ?? t("kit.date.always")}
      actions={(one) => <Switch program={one} />}
      call={[getProgram, { programId }]}
      tabs={{
        design: { title: "loyalty.design", load: () => import("./design.tsx") },
        members: { title: "loyalty.members", load: () => import("./members.tsx") },
        figures: { title: "loyalty.figures", load: () => import("./figures.tsx") },
      }}
    />
  );
}
