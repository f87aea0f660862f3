import { useElementSize } from "@mantine/hooks";
import { localeOf } from "../../text/text.ts";
import classes from "./chart.module.css";
import { ticksUpTo } from "./scale.ts";

const HEIGHT = 200;
const FOOT = 20;
const LEFT = 48;
const TOP = 8;
const RIGHT = 12;
const DAY_MS = 86_400_000;

type Row = { at: string; left: number };
type Props = {
  rows: readonly Row[];
  /** When nothing is left, if that is known. */
  runsOutAt: string | null;
  zone: string;
  tick: (value: number) => string;
};

/** What is left of something, falling day by day, and dotted how it would go on. The table of its card says the same. */
export function BurnDownChart({ rows, runsOutAt, zone, tick }: Props) {
  const { ref, width } = useElementSize();
  const [first, today] = [Date.parse(rows[0]!.at), Date.parse(rows.at(-1)!.at) + DAY_MS];
  const out = runsOutAt === null ? null : Math.max(today, Date.parse(runsOutAt));
  // As much of the future as there is of the past, at most.
  const last = out === null ? today : Math.min(out + DAY_MS, today + (today - first));
  const ticks = ticksUpTo(Math.max(...rows.map(({ left }) => left)));
  const top = ticks.at(-1)!;
  const xOf = (ms: number) => LEFT + ((width - LEFT - RIGHT) * (ms - first)) / (last - first);
  const yOf = (value: number) => TOP + ((HEIGHT - FOOT - TOP) * (top - value)) / top;
  const points = rows.map(({ at, left }) => `${xOf(Date.parse(at) + DAY_MS)},${yOf(left)}`);
  const day = new Intl.DateTimeFormat(localeOf(), { day: "numeric", month: "short", timeZone: zone });
  const now = rows.at(-1)!.left;
  // The line of the forecast, as far as the picture goes.
  const share = out === null || out <= today ? 1 : Math.min(1, (last - today) / (out - today));
  const marks = [first, today, ...(out !== null && out <= last && xOf(out) - xOf(today) > 56 ? [out] : [])];
  return (
    <div ref={ref} className={classes.chart} aria-hidden>
      {width > 0 && (
        <svg width={width} height={HEIGHT} viewBox={`0 0 ${width} ${HEIGHT}`} aria-hidden>
          {ticks.map((value) => (
            <text key={value} x={LEFT - 8} y={yOf(value) + 4} textAnchor="end" className={classes.label}>
              {tick(value)}
            </text>
          ))}
          <line x1={LEFT} x2={width} y1={yOf(0)} y2={yOf(0)} className={classes.axis} />
          <line x1={xOf(today)} x2={xOf(today)} y1={TOP} y2={yOf(0)} className={classes.axis} />
          <polyline points={points.join(" ")} className={classes.line} />
          {out !== null && (
            <line
              x1={xOf(today)}
              y1={yOf(now)}
              x2={xOf(Math.min(out, last))}
              y2={yOf(now * (1 - share))}
              className={classes.forecast}
            />
          )}
          {marks.map((mark, place) => (
            <text
              key={mark}
              x={xOf(mark)}
              y={HEIGHT - 4}
              textAnchor={place === 0 ? "start" : place === marks.length - 1 ? "end" : "middle"}
              className={classes.label}
            >
              {day.format(mark === today ? today - DAY_MS : mark)}
            </text>
          ))}
        </svg>
      )}
    </div>
  );
}
