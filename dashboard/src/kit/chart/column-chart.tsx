import { useElementSize } from "@mantine/hooks";
import { useId } from "react";
import { localeOf } from "../../text/text.ts";
import classes from "./chart.module.css";
import { ticksUpTo } from "./scale.ts";

const HEIGHT = 200;
const FOOT = 20;
const LEFT = 48;
const TOP = 8;
const LABEL_WIDTH = 72;

/** One column: what it is called, how much, and whether more may come. */
export type Point = { label: string; value: number; isComplete: boolean };
type Props = { points: readonly Point[]; format: (value: number) => string; tick?: (value: number) => string };

const short = (value: number) =>
  new Intl.NumberFormat(localeOf(), { notation: "compact", maximumFractionDigits: 1 }).format(value);

/** Columns from zero. A column that is not finished is hatched. Who does not see it reads the table of its card. */
export function ColumnChart({ points, format, tick = short }: Props) {
  const { ref, width } = useElementSize();
  const hatch = useId();
  const values = points.map(({ value }) => value);
  const ticks = ticksUpTo(Math.max(0, ...values));
  const top = ticks.at(-1)!;
  // A day on which more was rolled back than given is below zero.
  const bottom = Math.min(0, ...values);
  const inner = HEIGHT - FOOT - TOP;
  const step = Math.max(1, width - LEFT) / Math.max(1, points.length);
  const yOf = (value: number) => TOP + (inner * (top - value)) / (top - bottom);
  // Only as many days as there is room for their names.
  const every = Math.max(1, Math.ceil(LABEL_WIDTH / step));
  return (
    <div ref={ref} className={classes.chart} aria-hidden>
      {width > 0 && (
        <svg width={width} height={HEIGHT} viewBox={`0 0 ${width} ${HEIGHT}`} aria-hidden>
          <pattern id={hatch} width={5} height={5} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <line x1={0} x2={0} y1={0} y2={5} className={classes.hatch} />
          </pattern>
          {ticks.map((value) => (
            <text key={value} x={LEFT - 8} y={yOf(value) + 4} textAnchor="end" className={classes.label}>
              {tick(value)}
            </text>
          ))}
          <line x1={LEFT} x2={width} y1={yOf(0)} y2={yOf(0)} className={classes.axis} />
          {points.map(({ label, value, isComplete }, place) => (
            <g key={label} className={classes.column}>
              <title>{`${label}: ${format(value)}`}</title>
              <rect
                x={LEFT + place * step + step * 0.125}
                y={Math.min(yOf(value), yOf(0))}
                width={step * 0.75}
                height={Math.abs(yOf(0) - yOf(value))}
                {...(isComplete
                  ? { className: classes.bar }
                  : { className: classes.unfinished, fill: `url(#${hatch})` })}
              />
              <rect x={LEFT + place * step} y={TOP} width={step} height={inner} className={classes.hit} />
              {place % every === 0 && LEFT + place * step + LABEL_WIDTH * 0.6 < width && (
                <text x={LEFT + place * step} y={HEIGHT - 4} className={classes.label}>
                  {label}
                </text>
              )}
            </g>
          ))}
        </svg>
      )}
    </div>
  );
}
