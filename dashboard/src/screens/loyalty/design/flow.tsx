import "@xyflow/react/dist/base.css";
import { useElementSize } from "@mantine/hooks";
import { type Edge, Handle, type Node, type NodeChange, type NodeProps, Position, ReactFlow } from "@xyflow/react";
import { type ReactNode, useCallback, useMemo, useState } from "react";
import { StatusBadge } from "../../../kit/status/status-badge.tsx";
import { useText } from "../../../text/text.ts";
import { type Board, TITLES } from "./board.ts";
import classes from "./flow.module.css";
import { headOf, KINDS, type Kind, type Link, type Part, placesOf } from "./parts.ts";

type Size = { width: number; height: number };
type PartNode = Node<{ part: Part; onOpen: () => void; onLook: (id: string | null) => void }, "part">;
type HeadNode = Node<{ kind: Kind; add: ReactNode }, "head">;

/** A part is one button: its name is what it is called, and what it does is read with it. */
function PartBox({ data: { part, onOpen, onLook } }: NodeProps<PartNode>) {
  return (
    <>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <button
        type="button"
        className={`${classes.part} ${classes[part.kind] ?? ""}`}
        onClick={onOpen}
        onFocus={() => onLook(part.id)}
        onBlur={() => onLook(null)}
      >
        <span className={classes.name}>
          {part.name}
          {part.status && part.status !== "ACTIVE" && <StatusBadge status={part.status} />}
        </span>
        {part.lines.map((line) => (
          <span key={line} className={classes.line}>
            {line}
          </span>
        ))}
      </button>
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </>
  );
}

function Head({ data: { kind, add } }: NodeProps<HeadNode>) {
  const t = useText();
  return (
    <div className={classes.head}>
      <h2>{t(TITLES[kind].title)}</h2>
      {add}
    </div>
  );
}
const NODES = { part: PartBox, head: Head };

/** The heights that the browser gave to the parts: texts wrap, and the columns follow. */
function useSizes() {
  const [sizes, setSizes] = useState<ReadonlyMap<string, Size>>(new Map());
  const onNodesChange = useCallback((changes: NodeChange<PartNode | HeadNode>[]) => {
    const measured = changes.flatMap((change) =>
      change.type === "dimensions" && change.dimensions ? [[change.id, change.dimensions] as const] : [],
    );
    if (measured.length > 0) setSizes((old) => new Map([...old, ...measured]));
  }, []);
  return { sizes, onNodesChange };
}

function useEdges({ parts, links }: Board, looked: string | null): Edge[] {
  const t = useText();
  return useMemo(() => {
    const names = new Map(parts.map(({ id, name }) => [id, name]));
    const says = ({ from, to, how }: Link) =>
      `${names.get(from)}: ${t(`designer.how.${how}`, { to: names.get(to) ?? "" })}`;
    const isQuiet = ({ from, to }: Link) => looked !== null && looked !== from && looked !== to;
    return links.map((link) => ({
      id: `${link.from} ${link.to}`,
      source: link.from,
      target: link.to,
      className: [classes[link.how], isQuiet(link) && classes.quiet].filter(Boolean).join(" "),
      ariaLabel: says(link),
    }));
  }, [parts, links, looked, t]);
}

/** The parts of a program as a flow, from what earns to what points buy. Nothing is dragged: each part opens its form. */
export default function Flow(board: Board) {
  const t = useText();
  const { ref, width } = useElementSize();
  const { sizes, onNodesChange } = useSizes();
  const [looked, setLooked] = useState<string | null>(null);
  const { parts, onOpen, addOf, links } = board;
  const { column, places, height } = placesOf(parts, width, (id) => sizes.get(id)?.height ?? 0);
  const common = (id: string) => ({
    id,
    position: places.get(id)!,
    style: { width: column },
    ...(sizes.has(id) && { measured: sizes.get(id)! }),
  });
  const nodes = KINDS.flatMap((kind): (PartNode | HeadNode)[] => [
    { ...common(headOf(kind)), type: "head", data: { kind, add: addOf?.(kind) } },
    ...parts
      .filter((part) => part.kind === kind)
      .map((part): PartNode => {
        const data = { part, onOpen: () => onOpen?.(part), onLook: setLooked };
        return { ...common(part.id), type: "part", data };
      }),
  ]);
  const edges = useEdges(board, looked);
  const hows = [...new Set(links.map(({ how }) => how))];
  return (
    <div>
      <ul className={classes.keys} aria-label={t("designer.keys")}>
        {hows.map((how) => (
          <li key={how} className={classes[how]}>
            {t(`designer.key.${how}`)}
          </li>
        ))}
      </ul>
      <div ref={ref} className={classes.frame} style={{ height: height + 24 }}>
        {width > 0 && (
          <ReactFlow<PartNode | HeadNode>
            className={classes.flow!}
            nodes={nodes}
            edges={edges}
            nodeTypes={NODES}
            onNodesChange={onNodesChange}
            onNodeMouseEnter={(_, { id, type }) => setLooked(type === "part" ? id : null)}
            onNodeMouseLeave={() => setLooked(null)}
            {...{ nodesDraggable: false, nodesConnectable: false, nodesFocusable: false, edgesFocusable: false }}
            {...{ elementsSelectable: false, panOnDrag: false, zoomOnScroll: false, zoomOnPinch: false }}
            {...{
              zoomOnDoubleClick: false,
              preventScrolling: false,
              minZoom: 1,
              maxZoom: 1,
              disableKeyboardA11y: true,
            }}
            deleteKeyCode={null}
            selectionKeyCode={null}
            multiSelectionKeyCode={null}
            panActivationKeyCode={null}
            zoomActivationKeyCode={null}
            aria-label={t("designer.flow")}
          />
        )}
      </div>
    </div>
  );
}
