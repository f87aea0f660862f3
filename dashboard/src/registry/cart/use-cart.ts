import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { useSearchParams } from "react-router";
import { validateStackedDiscounts } from "../../api/operations.gen.ts";
import { send } from "../../api/send.ts";
import { useCan, useProject } from "../../api/session.ts";
import { type Cart, type CartDraft, parseCart, printCart, type Question, questionOf } from "./cart.ts";

const TYPING_MS = 150;

/** The cart in the address, and the way to change it. */
export function useCart(): readonly [Cart, (change: Partial<Cart>) => void] {
  const [query, setQuery] = useSearchParams();
  const cart = useMemo(() => parseCart(query), [query]);
  const change = useCallback(
    (changed: Partial<Cart>) =>
      setQuery((old) => printCart({ ...parseCart(old), ...changed }, old), { replace: true, preventScrollReset: true }),
    [setQuery],
  );
  return [cart, change];
}

/** What the server says of a cart, 150 ms after the last change. An older question is given up; its answer stays until then.
 * `version` names what was saved last, so that a changed rule is asked again; `draft` is what is not saved. */
export function useAnswer(cart: Cart, { version = "", draft }: { version?: string; draft?: CartDraft | null } = {}) {
  const { id } = useProject();
  const can = useCan();
  const question = questionOf(cart, draft);
  const [asked] = useDebouncedValue(question === null ? "" : JSON.stringify(question), TYPING_MS);
  const body = asked === "" ? null : (JSON.parse(asked) as NonNullable<Question>);
  const answer = useQuery({
    queryKey: [id, "simulator", version, asked],
    queryFn: ({ signal }) => send(validateStackedDiscounts, {}, { body: body!, signal }),
    enabled: body !== null && can("validateStackedDiscounts"),
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
    retry: false,
  });
  const isOld = answer.isFetching || (question !== null && JSON.stringify(question) !== asked);
  return { ...answer, data: question === null ? undefined : answer.data, question, isOld };
}
export type ServerAnswer = ReturnType<typeof useAnswer>;
