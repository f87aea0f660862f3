import { Alert, Button, Stack } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import { type KeptRefusalRead, validateStackedDiscounts } from "../../api/operations.gen.ts";
import { useProject } from "../../api/session.ts";
import { useSend } from "../../api/use-op.ts";
import { formatMoney } from "../../kit/money/money.ts";
import { Can } from "../../kit/page/can.tsx";
import { Failure } from "../../kit/states/states.tsx";
import type { Question } from "../../registry/cart/cart.ts";
import { RedeemableReasons } from "../../registry/trace/trace-tree.tsx";
import { Verdict } from "../../registry/trace/verdict.tsx";
import { localeOf, useText } from "../../text/text.ts";

/** The same question as a validation that holds nothing: without a session and without counting for anybody. */
function questionOf({ request, redeemables, codes }: KeptRefusalRead): Question {
  const { customer, order, metadata, redeemables: sent } = (request ?? {}) as Partial<NonNullable<Question>>;
  const named = redeemables.length > 0 ? redeemables : codes.map((id) => ({ object: "voucher", id }));
  const asked = sent ?? named.map(({ object, id }) => ({ object: object as "voucher", id }));
  return {
    redeemables: asked,
    ...(customer && { customer }),
    ...(order && { order }),
    ...(metadata && { metadata }),
    options: { expand: ["trace"] },
  };
}

/** Asks with the rules of today, and says what comes out. */
export function AskAgain({ refusal }: { refusal: KeptRefusalRead }) {
  const t = useText();
  const { currency } = useProject();
  const { mutate, data, error, isPending } = useSend(validateStackedDiscounts);
  const off = data?.order?.total_applied_discount_amount;
  const refused = (data?.redeemables ?? []).filter(({ status }) => status !== "APPLICABLE");
  return (
    <Can do="validateStackedDiscounts">
      <Button
        title={t("why.againHelp")}
        loading={isPending}
        leftSection={<IconRefresh size={16} stroke={1.75} />}
        onClick={() => mutate({ params: {}, body: questionOf(refusal) })}
      >
        {t("why.again")}
      </Button>
      {error && <Failure error={error} />}
      {data && (
        <Alert
          w="100%"
          style={{ order: 1 }}
          role="status"
          variant="default"
          icon={<Verdict passed={data.valid} />}
          title={
            !data.valid
              ? t("why.stillRefused")
              : off === undefined
                ? t("why.wouldApplyFree")
                : t("why.wouldApply", { amount: formatMoney(off, currency, { locale: localeOf() }) })
          }
        >
          <Stack gap="sm">
            {refused.map(({ id, trace }) => trace && <RedeemableReasons key={id} trace={trace} />)}
          </Stack>
        </Alert>
      )}
    </Can>
  );
}
