import { Stack, Text, Title } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { validateStackedDiscounts } from "../../api/operations.gen.ts";
import { send } from "../../api/send.ts";
import { useProject } from "../../api/session.ts";
import { MomentField } from "../../kit/form/moment-field.tsx";
import classes from "../../registry/cart/cart.module.css";
import { type Cart, EMPTY_CART, type Question } from "../../registry/cart/cart.ts";
import { CartAnswer } from "../../registry/cart/cart-answer.tsx";
import { CartEditor } from "../../registry/cart/cart-editor.tsx";
import type { ServerAnswer } from "../../registry/cart/use-cart.ts";
import { useText } from "../../text/text.ts";
import { draftQuestion, momentOfStart } from "./draft.ts";
import type { Values } from "./values.ts";

const TYPING_MS = 150;
/** An order that most offers apply to, so that there is an answer at first sight. In 1/100. */
const FIRST_CART: Cart = { ...EMPTY_CART, amount: 10_000 };

/** What the server says of a cart and a draft; see `useAnswer` of the simulator. */
function useDraftAnswer(question: Question | null): ServerAnswer {
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
  return { ...answer, question, isOld: answer.isFetching || asked !== text } as ServerAnswer;
}

/** A campaign that is not saved yet, on a cart. */
export default function TryCart({ values }: { values: Values }) {
  const t = useText();
  const [cart, setCart] = useState(FIRST_CART);
  const asked = useDraftAnswer(draftQuestion(values, cart));
  return (
    <Stack gap="lg">
      <div>
        <Title order={2}>{t("templates.tryTitle")}</Title>
        <Text size="sm" c="dimmed">
          {t("templates.tryHelp")}
        </Text>
      </div>
      <CartEditor cart={cart} onChange={(change) => setCart((old) => ({ ...old, ...change }))} />
      <MomentField
        label={t("templates.at")}
        description={t("templates.atHelp")}
        defaultValue={momentOfStart(values.start_date)}
        onChange={(at) => setCart((old) => ({ ...old, at }))}
      />
      {asked.question ? <CartAnswer asked={asked} /> : <div className={classes.dimmed}>{t("templates.tryEmpty")}</div>}
    </Stack>
  );
}
