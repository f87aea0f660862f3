import { Button, Group } from "@mantine/core";
import { getVoucher, listAssignmentsOfValidationRule } from "../../api/operations.gen.ts";
import { useOp } from "../../api/use-op.ts";
import { Section } from "../../kit/page/section.tsx";
import type { Cart } from "../../registry/cart/cart.ts";
import { CartAnswer } from "../../registry/cart/cart-answer.tsx";
import { CartEditor } from "../../registry/cart/cart-editor.tsx";
import type { ServerAnswer } from "../../registry/cart/use-cart.ts";
import { RecordName } from "../../registry/record-name.tsx";
import { useText } from "../../text/text.ts";
import classes from "./rules.module.css";
import { ALONE } from "./use-trial.ts";

type Props = {
  /** Null: it is not saved yet, and no code can use it. */
  ruleId: string | null;
  cart: Cart;
  asked: ServerAnswer;
  isEdited: boolean;
  /** Asked without a code. */
  isAlone: boolean;
  onChange: (change: Partial<Cart>) => void;
};

/** A code or an offer that the rule is for, one press away. */
function TryWith({ ruleId, cart, onChange }: Pick<Props, "cart" | "onChange"> & { ruleId: string }) {
  const t = useText();
  const { data } = useOp(listAssignmentsOfValidationRule, { validationRuleId: ruleId, limit: 3 });
  const used = data?.data ?? [];
  const tiers = used.flatMap((one) => (one.related_object_type === "promotion_tier" ? [one.related_object_id] : []));
  const voucherId = used.find((one) => one.related_object_type === "voucher")?.related_object_id;
  const voucher = useOp(getVoucher, { code: voucherId ?? "" }, { enabled: voucherId !== undefined });
  const ids = [...tiers, ...(voucher.data ? [voucher.data.code] : [])].filter((id) => !cart.codes.includes(id));
  if (ids.length === 0) return null;
  return (
    <Group gap="sm">
      {ids.map((id) => (
        <Button key={id} size="compact-sm" variant="default" onClick={() => onChange({ codes: [...cart.codes, id] })}>
          {t("rules.tryWith")}&nbsp;
          <RecordName of={id} />
        </Button>
      ))}
    </Group>
  );
}

/** The simulator beside the rule: what stands in the form is asked, saved or not. */
export default function TryRule({ ruleId, cart, asked, isEdited, isAlone, onChange }: Props) {
  const t = useText();
  const help = isEdited
    ? "rules.tryUnsaved"
    : isAlone
      ? ruleId === null
        ? "rules.tryNew"
        : "rules.tryAlone"
      : "rules.trySaved";
  return (
    <Section title={t("rules.try")} help={t(help)}>
      <div className={classes.field}>
        <CartEditor cart={cart} onChange={onChange} hasCodes={ruleId !== null} />
        {ruleId !== null && <TryWith {...{ ruleId, cart, onChange }} />}
        {asked.question ? (
          <CartAnswer asked={asked} names={{ [ALONE]: t("rules.alone") }} />
        ) : (
          <div className={classes.dimmed}>{t("rules.tryEmpty")}</div>
        )}
      </div>
    </Section>
  );
}
