import { Anchor, Button, SegmentedControl } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconPlus } from "@tabler/icons-react";
import { lazy, Suspense, useMemo } from "react";
import { Link, useParams, useSearchParams } from "react-router";
import { getProgram, type LoyaltyProgram } from "../../../api/operations.gen.ts";
import { useCan, useProject } from "../../../api/session.ts";
import { useOp } from "../../../api/use-op.ts";
import { Page } from "../../../kit/page/page.tsx";
import { Loaded } from "../../../kit/states/loaded.tsx";
import { LoadingRows } from "../../../kit/states/states.tsx";
import { useText } from "../../../text/text.ts";
import classes from "../loyalty.module.css";
import { Outline } from "./outline.tsx";
import { type Design, isOpen, KINDS, type Kind, linksOf, partsOf } from "./parts.ts";
import { Switch } from "./switch.tsx";
import { TryOrder } from "./try-order.tsx";
import { useDesign } from "./use-design.ts";

const Flow = lazy(() => import("./flow.tsx"));
const PartWindow = lazy(() => import("./part-window.tsx"));

/** What adds a part of a kind. */
const CREATES: Record<Kind, string> = {
  rule: "createEarningRule",
  wallet: "createCardDefinition",
  tier: "createTier",
  reward: "createReward",
};
/** Below this width four columns do not fit. */
const WIDE = "(min-width: 68em)";
const NEW = "new";

/** Which part is open stands in the address: `rule:lern_1`, `tier:new`. */
function useOpened() {
  const [query, setQuery] = useSearchParams();
  const [kind, id] = (query.get("open") ?? "").split(":") as [Kind, string | undefined];
  const set = (name: string, value: string | null) =>
    setQuery((old) => {
      const next = new URLSearchParams(old);
      if (value === null) next.delete(name);
      else next.set(name, value);
      return next;
    });
  return { query, set, opened: KINDS.includes(kind) && id ? { kind, id } : null };
}

function Board({ program, design }: { program: LoyaltyProgram; design: Design }) {
  const t = useText();
  const can = useCan();
  const { currency } = useProject();
  const { query, set, opened } = useOpened();
  const isWide = useMediaQuery(WIDE, undefined, { getInitialValueInEffect: false });
  const parts = useMemo(() => partsOf(design, { t, currency }), [design, t, currency]);
  const links = useMemo(() => linksOf(design), [design]);
  const addOf = (kind: Kind) =>
    can(CREATES[kind]) && isOpen(kind, program) && (kind === "wallet" || design.wallets.length > 0) ? (
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<IconPlus size={14} stroke={1.75} aria-hidden />}
        onClick={() => set("open", `${kind}:${NEW}`)}
      >
        {t(`designer.addButton.${kind}`)}
      </Button>
    ) : null;
  const board = {
    parts,
    links,
    addOf,
    onOpen: ({ kind, id }: { kind: Kind; id: string }) => set("open", `${kind}:${id}`),
  };
  const view = query.get("view") === "list" ? "list" : "flow";
  const part = parts.find(({ id }) => id === opened?.id) ?? null;
  return (
    <div className={classes.stack}>
      {isWide && (
        <div>
          <SegmentedControl
            size="xs"
            aria-label={t("designer.view")}
            data={(["flow", "list"] as const).map((value) => ({ value, label: t(`designer.views.${value}`) }))}
            value={view}
            onChange={(value) => set("view", value === "flow" ? null : value)}
          />
        </div>
      )}
      {program.status !== "DRAFT" && <div className={classes.says}>{t("designer.noDraft")}</div>}
      {isWide && view === "flow" ? (
        <Suspense fallback={<LoadingRows />}>
          <Flow {...board} />
        </Suspense>
      ) : (
        <Outline {...board} />
      )}
      <TryOrder program={program} design={design} />
      {opened && (opened.id === NEW || part) && (
        <Suspense>
          <PartWindow
            key={`${opened.kind}:${opened.id}`}
            {...{ program, design, part, kind: opened.kind }}
            onDone={() => set("open", null)}
          />
        </Suspense>
      )}
    </div>
  );
}

/** A program as a flow: what earns points, where they are kept, where members stand, and what points buy. */
export default function Designer() {
  const t = useText();
  const { programId = "" } = useParams();
  const program = useOp(getProgram, { programId });
  const design = useDesign(programId);
  return (
    <Page
      of={program}
      title={({ name }) => name}
      status={({ status }) => status}
      below={({ id }) => (
        <Anchor component={Link} to={`/loyalty/${id}`} inherit underline="always">
          {t("designer.toProgram")}
        </Anchor>
      )}
      actions={(one) => <Switch program={one} />}
      call={[getProgram, { programId }]}
    >
      {(one) => <Loaded of={design}>{(read) => <Board program={one} design={read} />}</Loaded>}
    </Page>
  );
}
