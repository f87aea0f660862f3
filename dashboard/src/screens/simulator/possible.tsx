import { Button, Group } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { checkEligibility } from "../../api/operations.gen.ts";
import { send } from "../../api/send.ts";
import { useCan, useProject } from "../../api/session.ts";
import classes from "../../registry/cart/cart.module.css";
import { type Cart, questionOf } from "../../registry/cart/cart.ts";
import { useText } from "../../text/text.ts";

const TYPING_MS = 400;
const MOST = 6;
const READ = 20;

/** What else the cart could use: the server looks through everything that applies to it. */
export function Possible({ cart, onTry }: { cart: Cart; onTry: (id: string) => void }) {
  const t = useText();
  const can = useCan();
  const { id: project } = useProject();
  const { order, customer } = questionOf({ ...cart, codes: ["-"] })!;
  const [asked] = useDebouncedValue(JSON.stringify({ order, customer }), TYPING_MS);
  const { data } = useQuery({
    queryKey: [project, "possible", asked],
    queryFn: ({ signal }) =>
      send(
        checkEligibility,
        {},
        { body: { ...JSON.parse(asked), scenario: "ALL", options: { limit: READ, expand: ["redeemable"] } }, signal },
      ),
    enabled: order !== undefined && can("checkEligibility"),
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
    retry: false,
  });
  const found = (data?.redeemables.data ?? [])
    .filter(({ id, object }) => object !== "campaign" && !cart.codes.includes(id))
    .slice(0, MOST);
  if (order === undefined || found.length === 0) return null;
  return (
    <Group gap="sm" mt="lg">
      <span className={classes.dimmed}>{t("simulator.possible")}</span>
      {found.map(({ id, name }) => (
        <Button
          key={id}
          size="compact-sm"
          variant="default"
          onClick={() => onTry(id)}
          aria-label={t("simulator.use", { name: name ?? id })}
        >
          {name ?? id}
        </Button>
      ))}
    </Group>
  );
}
