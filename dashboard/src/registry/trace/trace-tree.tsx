import { Fragment } from "react";
import type { RedeemableTrace, RuleTrace } from "../../api/operations.gen.ts";
import { useText } from "../../text/text.ts";
import { RuleValue, type Unit } from "../rule-value.tsx";
import { useRegistry } from "../use-registry.ts";
import { checkWord, needWord, operatorWord, ruleWord, skipWord } from "../words.ts";
import classes from "./trace.module.css";
import { Verdict } from "./verdict.tsx";

/** What a rule saw, and how much was missing. */
export function Seen({ leaf, unit }: { leaf: RuleTrace; unit: Unit }) {
  const t = useText();
  const { seen, lacks, skipped, conditions = [] } = leaf;
  const missing = conditions.find((one) => one.missing)?.missing;
  if (skipped) return <span className={classes.seen}>{skipWord(t, skipped)}</span>;
  if (lacks) return <span className={classes.seen}>{t("registry.lacks", { what: needWord(t, lacks) })}</span>;
  const isNothing = seen === null || seen === undefined || (Array.isArray(seen) && seen.length === 0);
  if (isNothing && (leaf.below || leaf.lines)) return null;
  const [before, after] = t("registry.seen", { value: "\u0000" }).split("\u0000");
  const [shortBefore, shortAfter] = t("registry.short", { value: "\u0000" }).split("\u0000");
  return (
    <>
      <span className={classes.seen}>
        {isNothing ? (
          t("registry.seenNothing")
        ) : (
          <>
            {before}
            <RuleValue value={seen} unit={unit} />
            {after}
          </>
        )}
      </span>
      {missing && (
        <span className={classes.short}>
          {shortBefore}
          <RuleValue value={missing.amount} unit={unit} />
          {shortAfter}
        </span>
      )}
    </>
  );
}

type Asking = Pick<RuleTrace, "name" | "property"> & { conditions?: { operator: string; expected: unknown }[] };

/** One rule as a sentence: what it asks. */
export function RuleSentence({ leaf }: { leaf: Asking }) {
  const t = useText();
  const registry = useRegistry();
  const unit = registry.rules.get(leaf.name ?? "")?.unit ?? null;
  return (
    <>
      <span className={classes.name}>{ruleWord(t, registry, leaf.name ?? "", leaf.property)}</span>{" "}
      {(leaf.conditions ?? []).map(({ operator, expected }) => (
        <Fragment key={operator}>
          {operatorWord(t, registry, operator)} {registry.isPending ? (
            "…"
          ) : (
            <RuleValue value={expected} unit={unit} />
          )}{" "}
        </Fragment>
      ))}
    </>
  );
}

/** Each rule with what it saw. Rules below a rule and groups are indented. */
function RuleTree({ trace }: { trace: RuleTrace }) {
  const t = useText();
  const registry = useRegistry();
  if (trace.kind !== "rule") {
    // Those that did not hold come first.
    const terms = [...(trace.terms ?? [])].sort((a, b) => Number(a.passed) - Number(b.passed));
    if (terms.length === 0) return null;
    return (
      <li>
        <div className={classes.group}>{t(trace.kind === "and" ? "registry.and" : "registry.or")}</div>
        <ul className={classes.list}>
          {terms.map((term, place) => (
            <RuleTree key={term.key ?? place} trace={term} />
          ))}
        </ul>
      </li>
    );
  }
  const unit = registry.rules.get(trace.name ?? "")?.unit ?? null;
  return (
    <li>
      <div className={classes.row}>
        <Verdict passed={trace.skipped ? null : trace.passed} />
        <div className={classes.says}>
          <span>
            <RuleSentence leaf={trace} />
          </span>
          <Seen leaf={trace} unit={unit} />
        </div>
      </div>
      {trace.below && (
        <ul className={classes.list}>
          <RuleTree trace={trace.below} />
        </ul>
      )}
    </li>
  );
}

/** The checks that come before rules, in one line. */
function Checks({ checks }: { checks: RedeemableTrace["checks"] }) {
  const t = useText();
  const sorted = [...checks].sort((a, b) => Number(a.passed) - Number(b.passed));
  return (
    <ul className={`${classes.list} ${classes.checks}`}>
      {sorted.map(({ check, passed }) => (
        <li key={check} className={classes.check}>
          <Verdict passed={passed} /> {checkWord(t, check)}
        </li>
      ))}
    </ul>
  );
}

/** Why a redeemable came out as it did: what failed first, then what held. */
export function RedeemableReasons({ trace }: { trace: RedeemableTrace }) {
  const t = useText();
  const rules = [...trace.rules].sort((a, b) => Number(a.passed) - Number(b.passed));
  return (
    <>
      <ul className={classes.list}>
        {rules.map(({ id, trace: tree }) => (
          <RuleTree key={id} trace={tree} />
        ))}
        {trace.bundle && (
          <li className={classes.row}>
            <Verdict passed={trace.bundle.passed} /> {t("registry.bundle", { count: trace.bundle.quantity })}
          </li>
        )}
      </ul>
      <Checks checks={trace.checks} />
    </>
  );
}
