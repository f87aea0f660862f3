import { Stack, Text, Title } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type ValidatedRedeemable, type Validation, validateStackedDiscounts } from "../../../../api/operations.gen.ts";
import { send } from "../../../../api/send.ts";
import { useProject } from "../../../../api/session.ts";
import { formatMoment } from "../../../../kit/date/date.ts";
import classes from "../../../../registry/cart/cart.module.css";
import type { Cart, Question } from "../../../../registry/cart/cart.ts";
import { CartAnswer } from "../../../../registry/cart/cart-answer.tsx";
import { CartEditor } from "../../../../registry/cart/cart-editor.tsx";
import type { ServerAnswer } from "../../../../registry/cart/use-cart.ts";
import { useText } from "../../../../text/text.ts";
import type { Values } from "../values.ts";
import { draftNames, draftQuestion, firstCart, momentOfStart } from "./draft.ts";

const TYPING_MS = 150;
/** The answer with the names of what is drafted: its ids are made up. */
function named(answer: Validation, names: ReadonlyMap<string, string>): Validation {
  const all = (some: ValidatedRedeemable[]) =>
    some.map((one) => ({ ...one, ...(names.has(one.id) && { name: names.get(one.id)! }) }));
  const { redeemables, inapplicable_redeemables: not, skipped_redeemables: skipped } = answer;
  return {
    ...{ ...answer, redeemables: all(redeemables) },
    ...(not && { inapplicable_redeemables: all(not) }),
    ...(skipped && { skipped_redeemables: all(skipped) }),
  };
}

/** What the server says of a cart and a draft; see `useAnswer` of the simulator. */
function useDraftAnswer(question: Question | null, names: ReadonlyMap<string, string>): ServerAnswer {
  const { id } = useProject();
  const text = question === null ? "" : JSON.stringify(question);
  const [asked] = useDebouncedValue(text, TYPING_MS);
  const answer = useQuery({
    queryKey: [id, "draft", asked],
    queryFn: ({ signal }) =>
      send(validateStackedDiscounts, {}, { body: JSON.parse(asked) as NonNullable<Question>, signal }),
    enabled: asked !== "",
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
    retry: false,
  });
  const data = answer.data && named(answer.data, names);
  return { ...answer, data, question, isOld: answer.isFetching || asked !== text } as ServerAnswer;
}

/** A campaign that is not saved yet, on a cart. */
export default function TryCart({ values }: { values: Values }) {
  const t = useText();
  const { timezone } = useProject();
  const [typed, setTyped] = useState<Cart>(() => firstCart(values));
  // What has not begun is asked about as at its beginning: when a campaign runs is said in one place.
  const at = momentOfStart(values.start_date);
  const cart = { ...typed, at };
  const asked = useDraftAnswer(draftQuestion(values, cart), draftNames(values));
  return (
    // Enter belongs to the cart here: it must not create the campaign.
    <Stack gap="lg" onKeyDown={(event) => void (event.key === "Enter" && event.preventDefault())}>
      <div>
        <Title order={2}>{t("templates.tryTitle")}</Title>
        <Text size="sm" c="dimmed">
          {t("templates.tryHelp")}{" "}
          {at === null
            ? t("templates.tryNow")
            : t("templates.tryAt", { time: formatMoment(values.start_date!, timezone), zone: timezone })}
        </Text>
      </div>
      <CartEditor cart={cart} hasTime={false} onChange={(change) => setTyped((old) => ({ ...old, ...change }))} />
      {asked.question ? <CartAnswer asked={asked} /> : <div className={classes.dimmed}>{t("templates.tryEmpty")}</div>}
    </Stack>
  );
}
