import { Anchor } from "@mantine/core";
import { IconArrowDownRight, IconArrowRight, IconArrowUpRight } from "@tabler/icons-react";
import { Link } from "react-router";
import { localeOf, useText } from "../../text/text.ts";
import classes from "./chart.module.css";

/** A number of a period beside the same number of the one before. `to` leads to the list that it counts. */
export type Figure = {
  name: string;
  value: number;
  before: number;
  shown: string;
  shownBefore: string;
  to?: string;
  isApproximate?: true;
};

const percent = (share: number) =>
  new Intl.NumberFormat(localeOf(), { style: "percent", maximumFractionDigits: 0 }).format(Math.abs(share));

function Change({ value, before, shownBefore }: Figure) {
  const t = useText();
  if (before === 0) return <>{t("kit.chart.noneBefore")}</>;
  const share = (value - before) / Math.abs(before);
  const [Icon, says] =
    Math.abs(share) < 0.005
      ? ([IconArrowRight, "kit.chart.same"] as const)
      : share > 0
        ? ([IconArrowUpRight, "kit.chart.more"] as const)
        : ([IconArrowDownRight, "kit.chart.less"] as const);
  return (
    <>
      <Icon size={14} stroke={1.75} aria-hidden style={{ verticalAlign: "-2px" }} />{" "}
      {t(says, { percent: percent(share), before: shownBefore })}
    </>
  );
}

/** Figures of a period in a row. More is not green and less is not red: whether it is good is not known here. */
export function Figures({ of: figures }: { of: readonly Figure[] }) {
  const t = useText();
  return (
    <dl className={classes.figures}>
      {figures.map((figure) => (
        <div key={figure.name} className={classes.figure}>
          <dt>
            {figure.to === undefined ? (
              figure.name
            ) : (
              <Anchor component={Link} to={figure.to} size="xs" underline="always">
                {figure.name}
              </Anchor>
            )}
          </dt>
          <dd className={classes.value}>
            {figure.isApproximate && "≈ "}
            {figure.shown}
          </dd>
          <dd className={classes.change}>
            <Change {...figure} />
            {figure.isApproximate && ` · ${t("kit.chart.approximate")}`}
          </dd>
        </div>
      ))}
    </dl>
  );
}
