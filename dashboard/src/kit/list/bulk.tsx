import { Button, CloseButton } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import type { AnyOp } from "../../api/op.ts";
import { send } from "../../api/send.ts";
import { useCan } from "../../api/session.ts";
import { askAgainAfter } from "../../api/use-op.ts";
import { type TextKey, useText } from "../../text/text.ts";
import { confirm } from "../confirm/confirm.ts";
import { notifyDone, notifyFailed } from "../undo/undo.tsx";
import classes from "./list.module.css";

const AT_ONCE = 5;
/** More than this is asked about first. */
const MANY = 20;

/** Something that is done to the selected rows, and its opposite. */
type BulkAct<R> = {
  text: TextKey;
  done: TextKey;
  operation: AnyOp;
  /** The opposite; a function where it depends on what a row was before. */
  undo?: AnyOp | ((row: R) => AnyOp);
  params: (row: R) => object;
};
/** A page that shows the selected rows, for who may read them. */
type BulkPage<R> = { text: TextKey; operation: AnyOp; to: (rows: readonly R[]) => string };
export type Bulk<R> = BulkAct<R> | BulkPage<R>;

async function doAll<R>(rows: readonly R[], one: (row: R) => Promise<unknown>): Promise<{ done: R[]; fault: unknown }> {
  const done: R[] = [];
  let fault: unknown;
  for (let at = 0; at < rows.length; at += AT_ONCE) {
    const some = rows.slice(at, at + AT_ONCE);
    const ends = await Promise.allSettled(some.map(one));
    ends.forEach((end, index) => {
      if (end.status === "fulfilled") done.push(some[index]!);
      else fault = end.reason;
    });
  }
  return { done, fault };
}

type Props<R> = { rows: readonly R[]; bulk: readonly Bulk<R>[]; onClear: () => void };

export function BulkBar<R>({ rows, bulk, onClear }: Props<R>) {
  const t = useText();
  const can = useCan();
  const client = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const run = async ({ operation, undo, params, text, done: doneText }: BulkAct<R>) => {
    const act = `${t(text)} (${rows.length})`;
    if (
      rows.length > MANY &&
      !(await confirm({ title: t(text), says: t("kit.list.selected", { count: rows.length }), act }))
    )
      return;
    setBusy(true);
    const { done, fault } = await doAll(rows, (row) => send(operation, params(row)));
    setBusy(false);
    if (fault !== undefined) notifyFailed(fault);
    const takeBack = async () => {
      const opposite = (row: R) => (typeof undo === "function" ? undo(row) : undo!);
      const back = await doAll(done, (row) => send(opposite(row), params(row)));
      await askAgainAfter(client, operation);
      if (back.fault !== undefined) throw back.fault;
    };
    if (done.length > 0) notifyDone(t(doneText, { count: done.length }), undo && takeBack);
    onClear();
    await askAgainAfter(client, operation);
  };
  return (
    <section className={classes.bulk} aria-label={t("kit.list.selected", { count: rows.length })}>
      <strong>{t("kit.list.selected", { count: rows.length })}</strong>
      {bulk
        .filter(({ operation }) => can(operation.id))
        .map((one) =>
          "to" in one ? (
            <Button key={one.text} size="xs" variant="default" component={Link} to={one.to(rows)}>
              {t(one.text)}
            </Button>
          ) : (
            <Button key={one.text} size="xs" variant="default" loading={isBusy} onClick={() => void run(one)}>
              {t(one.text)}
            </Button>
          ),
        )}
      <CloseButton onClick={onClear} aria-label={t("kit.list.clear")} />
    </section>
  );
}
