import classes from "./small.module.css";

// Charts for cells of a table: plain SVG, because a chart library would be larger than the page.
const WIDTH = 96;
const HEIGHT = 22;

/** A bar for each value, from zero. `label` says the same to who does not see it. */
export function Sparkline({ values, label }: { values: readonly number[]; label: string }) {
  const max = Math.max(1, ...values);
  const step = WIDTH / Math.max(1, values.length);
  return (
    <svg width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      <line x1={0} x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} className={classes.base} />
      {values.map((value, day) => {
        const height = value === 0 ? 0 : Math.max(1.5, (value / max) * (HEIGHT - 2));
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a day is its place.
            key={day}
            x={day * step}
            y={HEIGHT - height}
            width={step * 0.75}
            height={height}
            className={classes.bar}
          />
        );
      })}
    </svg>
  );
}

/** How much of a limit is used, or how far a work is. Full is not red: it is what was meant. */
export function UsedBar({ share, label, isWork }: { share: number; label: string; isWork?: boolean }) {
  const filled = Math.max(0, Math.min(1, share));
  return (
    <span className={classes.used}>
      <svg width={56} height={8} viewBox="0 0 56 8" aria-hidden>
        <rect width={56} height={8} rx={4} className={classes.track} />
        {filled > 0 && (
          <rect
            width={Math.max(4, 56 * filled)}
            height={8}
            rx={4}
            className={filled >= 0.9 && !isWork ? classes.nearlyFull : classes.bar}
          />
        )}
      </svg>
      <span>{label}</span>
    </span>
  );
}
