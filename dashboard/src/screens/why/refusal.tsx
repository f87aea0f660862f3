import { Anchor, Button, Collapse, CopyButton, Group } from "@mantine/core";
import { IconChevronDown, IconChevronRight, IconCopy } from "@tabler/icons-react";
import { useState } from "react";
import { Link } from "react-router";
import { getRefusal, type KeptRefusal, type KeptRefusalRead, type RedeemableTrace } from "../../api/operations.gen.ts";
import { useProject } from "../../api/session.ts";
import { useOp } from "../../api/use-op.ts";
import { formatShort } from "../../kit/date/date.ts";
import { JsonBlock } from "../../kit/json/json-block.tsx";
import { formatMoney } from "../../kit/money/money.ts";
import { Can } from "../../kit/page/can.tsx";
import { Panel } from "../../kit/page/panel.tsx";
import { Failure, LoadingRows } from "../../kit/states/states.tsx";
import { cartOf, printCart } from "../../registry/cart/cart.ts";
import { decidingOf, messageOf, missingOf } from "../../registry/trace/deciding.ts";
import { refusalWord } from "../../registry/trace/refusal-word.ts";
import { RedeemableReasons, RuleSentence } from "../../registry/trace/trace-tree.tsx";
import { useRegistry } from "../../registry/use-registry.ts";
import { reasonWord } from "../../registry/words.ts";
import { localeOf, useText } from "../../text/text.ts";
import { AskAgain } from "./ask-again.tsx";
import classes from "./why.module.css";

const tracesOf = ({ trace }: KeptRefusalRead): RedeemableTrace[] =>
  Array.isArray(trace) ? (trace as RedeemableTrace[]) : [];

/** What somebody at the telephone can say: the words of the rule, else of the reason, and how much is missing. */
function useSaying(refusal: KeptRefusal, trace: RedeemableTrace | undefined): string {
  const t = useText();
  const { currency } = useProject();
  const { rules } = useRegistry();
  const deciding = trace && decidingOf(trace);
  const leaf = deciding?.kind === "rule" ? deciding.leaf : null;
  const missing = leaf && missingOf(leaf);
  const isMoney = rules.get(leaf?.name ?? "")?.unit === "amount";
  const said = (leaf && messageOf(leaf)) ?? reasonWord(t, refusal.reason) ?? refusal.message;
  const short =
    missing && isMoney
      ? t("why.missing", { amount: formatMoney(missing.amount, currency, { locale: localeOf() }) })
      : "";
  return [/[.!?]$/.test(said) ? said : `${said}.`, short].filter((one) => one !== "").join(" ");
}

function Saying({ text }: { text: string }) {
  const t = useText();
  return (
    <div className={classes.say}>
      <span className={classes.dimmed}>{t("why.say")}</span>
      <blockquote>{text}</blockquote>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Button size="xs" variant="default" onClick={copy} leftSection={<IconCopy size={14} stroke={1.75} />}>
            {t(copied ? "why.copied" : "why.copy")}
          </Button>
        )}
      </CopyButton>
    </div>
  );
}

function Opened({ refusal }: { refusal: KeptRefusalRead }) {
  const t = useText();
  const { currency } = useProject();
  const [isShown, setShown] = useState(false);
  const traces = tracesOf(refusal);
  const refused = traces.filter(({ status }) => status !== "APPLICABLE");
  const first = refused[0];
  const deciding = first && decidingOf(first);
  const saying = useSaying(refusal, first);
  const codes = refusal.redeemables.length > 0 ? refusal.redeemables.map(({ id }) => id) : refusal.codes;
  const cart = cartOf(refusal.request, codes);
  return (
    <div className={classes.body}>
      <div className={classes.answer}>
        <span className={classes.word}>{t(deciding?.kind === "rule" ? "why.refusedBy" : "why.refused")}</span>{" "}
        {deciding?.kind === "rule" ? <RuleSentence leaf={deciding.leaf} /> : refusalWord(t, currency, refusal)}{" "}
        {deciding?.kind === "rule" && (
          <Can do="getValidationRule">
            <Anchor component={Link} to={`/rules/${deciding.ruleId}`} underline="always">
              {t("why.rule")}
            </Anchor>
          </Can>
        )}
      </div>
      {refused.map((trace) => (
        <div key={trace.id}>
          {traces.length > 1 && <div className="mono">{trace.id}</div>}
          <RedeemableReasons trace={trace} />
        </div>
      ))}
      {refused.length === 0 && <div className={classes.dimmed}>{t("why.noTrace")}</div>}
      <Saying text={saying} />
      <Group gap="sm">
        <AskAgain refusal={refusal} />
        <Button component={Link} variant="default" to={`/simulator?${printCart(cart)}`}>
          {t("why.simulator")}
        </Button>
        <Button variant="default" onClick={() => setShown(!isShown)} aria-expanded={isShown}>
          {t("why.details")}
        </Button>
      </Group>
      <Collapse expanded={isShown}>
        <div className={classes.columns}>
          <div>
            <div className={classes.dimmed}>{t("why.sent")}</div>
            <JsonBlock value={refusal.request ?? ""} label={t("why.sent")} />
          </div>
          <div>
            <div className={classes.dimmed}>{t("why.answered")}</div>
            <JsonBlock value={refusal.answer ?? ""} label={t("why.answered")} />
          </div>
        </div>
      </Collapse>
    </div>
  );
}

function Reading({ id }: { id: string }) {
  const { data, error, refetch } = useOp(getRefusal, { refusalId: id });
  if (data) return <Opened refusal={data} />;
  return error ? <Failure error={error} retry={() => void refetch()} /> : <LoadingRows rows={4} />;
}

type Props = { refusal: KeptRefusal; isOpen: boolean; onToggle: () => void };

/** One refusal: when, who, why; opened, what decided and what to do. */
export function RefusalPanel({ refusal, isOpen, onToggle }: Props) {
  const t = useText();
  const { currency, timezone } = useProject();
  const Icon = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <Panel p={0}>
      <button type="button" className={classes.head} onClick={onToggle} aria-expanded={isOpen}>
        <Icon size={16} stroke={1.75} aria-hidden />
        <time dateTime={refusal.created_at}>{formatShort(refusal.created_at, timezone)}</time>
        <b className="mono">{refusal.codes.join(", ")}</b>
        <span>{refusal.customers[0] ?? t("why.nobody")}</span>
        <span className={classes.dimmed}>{t(`why.${refusal.kind}`)}</span>
        <span>{refusalWord(t, currency, refusal)}</span>
        <span className={`${classes.id} mono`}>{refusal.request_id}</span>
      </button>
      {isOpen && <Reading id={refusal.id} />}
    </Panel>
  );
}
