import { Anchor } from "@mantine/core";
import { Section } from "../../../kit/page/section.tsx";
import { StatusBadge } from "../../../kit/status/status-badge.tsx";
import { useText } from "../../../text/text.ts";
import classes from "../loyalty.module.css";
import { type Board, TITLES } from "./board.ts";
import { KINDS, type Kind, type Part } from "./parts.ts";

const HOWS = ["fills", "counts", "pays", "opens"] as const;

function Item({ part, parts, links, onOpen }: Board & { part: Part }) {
  const t = useText();
  const names = (how: (typeof HOWS)[number]) =>
    links
      .filter((link) => link.from === part.id && link.how === how)
      .map(({ to }) => parts.find(({ id }) => id === to)?.name)
      .join(", ");
  return (
    <li className={classes.item}>
      <div className={classes.head}>
        {onOpen ? (
          <Anchor component="button" type="button" fw={600} inherit underline="always" onClick={() => onOpen(part)}>
            {part.name}
          </Anchor>
        ) : (
          <strong>{part.name}</strong>
        )}
        {part.status && <StatusBadge status={part.status} />}
      </div>
      <ul className={classes.outline}>
        {part.lines.map((line) => (
          <li key={line} className={classes.item}>
            {line}
          </li>
        ))}
        {HOWS.map((how) => ({ how, to: names(how) }))
          .filter(({ to }) => to !== "")
          .map(({ how, to }) => (
            <li key={how} className={`${classes.item} ${classes.says}`}>
              {t(`designer.how.${how}`, { to })}
            </li>
          ))}
      </ul>
    </li>
  );
}

function Parts({ kind, ...board }: Board & { kind: Kind }) {
  const t = useText();
  const own = board.parts.filter((part) => part.kind === kind);
  return (
    <Section title={t(TITLES[kind].title)} help={t(TITLES[kind].help)} actions={board.addOf?.(kind)}>
      {own.length === 0 ? (
        <div className={classes.says}>{t("loyalty.nothing")}</div>
      ) : (
        <ul className={classes.outline}>
          {own.map((part) => (
            <Item key={part.id} part={part} {...board} />
          ))}
        </ul>
      )}
    </Section>
  );
}

/** The parts of a program as a list, for narrow windows and for who listens to the page. */
export function Outline(board: Board) {
  const [left, right] = [KINDS.slice(0, 2), KINDS.slice(2)];
  return (
    <div className={classes.columns}>
      {[left, right].map((kinds) => (
        <div key={kinds[0]} className={classes.stack}>
          {kinds.map((kind) => (
            <Parts key={kind} kind={kind} {...board} />
          ))}
        </div>
      ))}
    </div>
  );
}
