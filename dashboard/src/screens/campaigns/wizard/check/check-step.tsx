import { Button, Divider, Group, Stack, Text } from "@mantine/core";
import { lazy, Suspense } from "react";
import { useCan } from "../../../../api/session.ts";
import { LoadingRows } from "../../../../kit/states/states.tsx";
import { useText } from "../../../../text/text.ts";
import { LABELS } from "../labels.ts";
import { type Field, faultsIn, type Step, stepOf, type Values } from "../values.ts";

const TryCart = lazy(() => import("./try-cart.tsx"));
const TryPoints = lazy(() => import("./try-points.tsx"));

type Props = { values: Values; isOpen: boolean; open: (step: Step) => void };

/** What is missing; when nothing is, the campaign is tried on a cart. */
export function CheckStep({ values, isOpen, open }: Props) {
  const t = useText();
  const can = useCan();
  const faults = Object.entries(faultsIn(values, t));
  if (faults.length === 0)
    return (
      <Stack gap="lg">
        <Text>{t("campaigns.complete")}</Text>
        {can("validateStackedDiscounts") && <Divider />}
        {values.campaign_type === "LOYALTY_PROGRAM" ? (
          <Suspense fallback={<LoadingRows rows={2} />}>
            <TryPoints values={values} />
          </Suspense>
        ) : (
          isOpen &&
          can("validateStackedDiscounts") && (
            <Suspense fallback={<LoadingRows rows={3} />}>
              <TryCart values={values} />
            </Suspense>
          )
        )}
      </Stack>
    );
  return (
    <Stack gap="sm">
      <Text fw={600}>{t("campaigns.missing")}</Text>
      {faults.map(([field, fault]) => (
        <Group key={field} justify="space-between">
          <Text size="sm">
            {t(LABELS[field as Field])}: {fault}
          </Text>
          <Button size="xs" variant="default" onClick={() => open(stepOf(field))}>
            {t(`campaigns.steps.${stepOf(field)}`)}
          </Button>
        </Group>
      ))}
      <Text size="sm" c="dimmed">
        {t("templates.tryFirst")}
      </Text>
    </Stack>
  );
}
