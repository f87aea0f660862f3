import { Alert, Button, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useEffect, useRef } from "react";
import { useSearchParams } from "react-router";
import { listRefusals } from "../../api/operations.gen.ts";
import { ShowAsCall } from "../../kit/call/show-as-call.tsx";
import { PageHead } from "../../kit/page/page-head.tsx";
import { Panel } from "../../kit/page/panel.tsx";
import { Empty, Failure, LoadingRows } from "../../kit/states/states.tsx";
import { useText } from "../../text/text.ts";
import { About } from "./about.tsx";
import { type Case, useCase } from "./case.ts";
import { NotKept } from "./not-kept.tsx";
import { RefusalPanel } from "./refusal.tsx";
import { Similar } from "./similar.tsx";
import classes from "./why.module.css";

/** The open refusal is in the address; without one, the newest of a case is open. */
const NONE = "none";

function Refusals({ of: { refusals, hasMore }, isCase }: { of: Case; isCase: boolean }) {
  const t = useText();
  const [query, setQuery] = useSearchParams();
  const open = query.get("refusal") ?? (isCase ? refusals[0]?.id : null);
  const count = refusals.length;
  const toggle = (id: string) =>
    setQuery(
      (old) => {
        const next = new URLSearchParams(old);
        next.set("refusal", open === id ? NONE : id);
        return next;
      },
      { replace: true },
    );
  return (
    <>
      <div className={classes.count} role="status">
        {!isCase ? t("why.recent") : t(hasMore ? "why.refusalsMany" : "why.refusals", { count })}
      </div>
      {refusals.map((refusal) => (
        <RefusalPanel
          key={refusal.id}
          refusal={refusal}
          isOpen={open === refusal.id}
          onToggle={() => toggle(refusal.id)}
        />
      ))}
    </>
  );
}

function Answer({ q }: { q: string }) {
  const t = useText();
  const found = useCase(q);
  const { refusals, similar, isLoading, error } = found;
  const isKnown = [found.voucher, found.customer, found.order, found.redemption, found.request].some(
    (one) => one !== null,
  );
  if (!isKnown && refusals.length === 0) {
    if (error) return <Failure error={error} retry={found.retry} />;
    if (isLoading) return <LoadingRows rows={4} />;
    if (q === "")
      return (
        <Panel>
          <Empty title="why.none" help="why.startHelp" />
        </Panel>
      );
    return (
      <div className={classes.stack}>
        <Alert role="status" variant="default" title={t("why.nothing", { q })}>
          {t("why.nothingHelp")}
        </Alert>
        <NotKept campaign={null} />
        <Similar of={similar} />
      </div>
    );
  }
  return (
    <div className={classes.stack}>
      {error && <Failure error={error} retry={found.retry} />}
      <About of={found} />
      {refusals.length > 0 ? (
        <Refusals of={found} isCase={q !== ""} />
      ) : (
        !isLoading && (
          <>
            <Alert variant="default">{t("why.noneHere")}</Alert>
            <NotKept campaign={found.voucher?.campaign_id ?? null} />
          </>
        )
      )}
      <Similar of={similar} />
    </div>
  );
}

export default function Why() {
  const t = useText();
  const [query, setQuery] = useSearchParams();
  const q = query.get("q") ?? "";
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (field.current && document.activeElement !== field.current) field.current.value = q;
  }, [q]);
  return (
    <>
      <PageHead title={t("why.title")} below={q === "" ? t("why.start") : undefined}>
        <ShowAsCall operation={listRefusals} params={q === "" ? {} : { code: q }} />
      </PageHead>
      <form
        className={classes.ask}
        onSubmit={(event) => {
          event.preventDefault();
          const text = field.current?.value.trim() ?? "";
          setQuery(text === "" ? {} : { q: text });
        }}
      >
        <TextInput
          ref={field}
          type="search"
          label={t("why.field")}
          defaultValue={q}
          leftSection={<IconSearch size={16} stroke={1.75} />}
          data-list-search=""
        />
        <Button type="submit">{t("why.look")}</Button>
      </form>
      <Answer q={q} />
    </>
  );
}
