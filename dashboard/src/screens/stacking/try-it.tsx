import { Alert, Button, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import type { AnswerOf } from "../../api/op.ts";
import { validateStackedDiscounts } from "../../api/operations.gen.ts";
import { useProject } from "../../api/session.ts";
import { useSend } from "../../api/use-op.ts";
import { MoneyField } from "../../kit/form/money-field.tsx";
import { valueAt } from "../../kit/list/columns.tsx";
import { formatDiscount, formatMoney } from "../../kit/money/money.ts";
import { Can } from "../../kit/page/can.tsx";
import { Section } from "../../kit/page/section.tsx";
import { StatusBadge } from "../../kit/status/status-badge.tsx";
import { localeOf, useText } from "../../text/text.ts";
import type { StackingDraft } from "./rules-form.tsx";
import classes from "./stacking.module.css";

type Validation = AnswerOf<typeof validateStackedDiscounts>;

const reasonOf = (one: unknown) =>
  valueAt(one, "result.error.message") ?? valueAt(one, "result.details.message") ?? valueAt(one, "result.details.key");

function Result({ validation }: { validation: Validation }) {
  const t = useText();
  const { currency } = useProject();
  const money = (path: string) => {
    const minor = valueAt(validation, path);
    return typeof minor === "number" ? formatMoney(minor, currency, { locale: localeOf() }) : "–";
  };
  // Who is refused or left out may be named again in a list of its own.
  const named = ["redeemables", "skipped_redeemables", "inapplicable_redeemables"].flatMap(
    (list) => (valueAt(validation, list) as Validation["redeemables"] | undefined) ?? [],
  );
  const all = [...new Map(named.map((one) => [one.id, one])).values()];
  return (
    <div role="status">
      {all.map((one) => {
        const off =
          valueAt(one, "result.discount") === undefined ? null : valueAt(one, "order.total_applied_discount_amount");
        return (
          <div key={`${one.object}:${one.id}`} className={classes.result}>
            <span>
              <strong className="mono">{one.id}</strong> <StatusBadge status={one.status} />
              {reasonOf(one) !== undefined && (
                <Text size="sm" c="dimmed">
                  {String(reasonOf(one))}
                </Text>
              )}
            </span>
            {typeof off === "number" && <span>{formatDiscount(off, currency, { locale: localeOf() })}</span>}
          </div>
        );
      })}
      <div className={classes.result}>
        <strong>{t("stacking.toPay")}</strong>
        <strong>{money("order.total_amount")}</strong>
      </div>
    </div>
  );
}

/** Two codes on a cart: the server says what applies, with what is not saved yet too. Nothing is redeemed. */
export function TryIt({ draft }: { draft: StackingDraft | null }) {
  const t = useText();
  const validate = useSend(validateStackedDiscounts);
  const [codes, setCodes] = useState(["", ""]);
  const [amount, setAmount] = useState<number | null>(10_000);
  const [isMissing, setMissing] = useState(false);
  const typed = codes.map((code) => code.trim()).filter((code) => code !== "");
  const ask = () => {
    setMissing(typed.length === 0);
    if (typed.length === 0) return;
    const items = [{ quantity: 1, price: amount ?? 0, product: { name: t("stacking.amount") } }];
    const redeemables = typed.map((id) => ({ object: "voucher" as const, id }));
    const options = draft === null ? {} : { options: { draft: { stacking_rules: draft } } };
    validate.mutate({ params: {}, body: { redeemables, order: { items }, ...options } });
  };
  const { mutate, variables } = validate;
  // Who has asked once sees at once what another setting makes of it.
  const last = useRef(draft);
  useEffect(() => {
    if (last.current === draft) return;
    last.current = draft;
    if (!variables) return;
    const { options: _, ...body } = variables.body!;
    mutate({ params: {}, body: { ...body, ...(draft && { options: { draft: { stacking_rules: draft } } }) } });
  }, [draft, mutate, variables]);
  return (
    <Can do="validateStackedDiscounts">
      <Section title={t("stacking.tryIt")} help={t(draft === null ? "stacking.tryItHelp" : "stacking.tryItUnsaved")}>
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            ask();
          }}
        >
          <Stack>
            <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="md">
              {codes.map((code, place) => (
                <TextInput
                  // biome-ignore lint/suspicious/noArrayIndexKey: a field is its place.
                  key={place}
                  label={t("stacking.code", { number: place + 1 })}
                  value={code}
                  error={isMissing && place === 0 ? t("kit.form.required") : null}
                  onChange={({ currentTarget }) => setCodes(codes.with(place, currentTarget.value))}
                />
              ))}
              <MoneyField label={t("stacking.amount")} defaultValue={amount} onChange={setAmount} />
            </SimpleGrid>
            <Button type="submit" w="fit-content" loading={validate.isPending}>
              {t("stacking.ask")}
            </Button>
            {validate.error && (
              <Alert color="red" variant="light" role="alert">
                {validate.error.message}
              </Alert>
            )}
            {validate.data && <Result validation={validate.data} />}
          </Stack>
        </form>
      </Section>
    </Can>
  );
}
