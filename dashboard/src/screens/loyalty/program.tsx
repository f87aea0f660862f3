import { Button } from "@mantine/core";
import { Link, useParams } from "react-router";
import { getProgram } from "../../api/operations.gen.ts";
import { useProject } from "../../api/session.ts";
import { useOp } from "../../api/use-op.ts";
import { formatPeriod } from "../../kit/date/date.ts";
import { Page } from "../../kit/page/page.tsx";
import { useText } from "../../text/text.ts";
import { Switch } from "./design/switch.tsx";

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
      actions={(one) => (
        <>
          <Button component={Link} to={`/loyalty/${one.id}/design`} variant="default">
            {t("designer.open")}
          </Button>
          <Switch program={one} />
        </>
      )}
      call={[getProgram, { programId }]}
      tabs={{
        figures: { title: "loyalty.figures", load: () => import("./figures.tsx") },
        design: { title: "loyalty.design", load: () => import("./design.tsx") },
        members: { title: "loyalty.members", load: () => import("./members.tsx") },
      }}
    />
  );
}
