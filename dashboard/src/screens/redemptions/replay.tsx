import { Alert, Button, Stack, Text } from "@mantine/core";
import { type Redemption, replayRedemptionReceipt } from "../../api/operations.gen.ts";
import { useSend } from "../../api/use-op.ts";
import { Can } from "../../kit/page/can.tsx";
import { Failure } from "../../kit/states/states.tsx";
import { useText } from "../../text/text.ts";

/** Decides the redemption again. A difference is the one thing here that is red. */
export function ReplayButton({ redemption: { id, redemption } }: { redemption: Redemption }) {
  const t = useText();
  const replay = useSend(replayRedemptionReceipt);
  return (
    <Can do="replayRedemptionReceipt">
      <Stack gap="sm" align="flex-start">
        <Button
          variant="default"
          loading={replay.isPending}
          onClick={() => replay.mutate({ params: { redemptionId: redemption ?? id } })}
        >
          {t("redemptions.replay")}
        </Button>
        <Text size="sm" c="dimmed">
          {t("redemptions.replayHelp")}
        </Text>
        <div role="status">
          {replay.data?.same && (
            <Alert color="laurel" variant="light">
              ✓ {t("redemptions.same")}
            </Alert>
          )}
          {replay.data?.same === false && (
            <Alert color="red" variant="light">
              {t("redemptions.different", { fields: (replay.data.altered ?? []).join(", ") })}
            </Alert>
          )}
        </div>
        {replay.error && <Failure error={replay.error} />}
      </Stack>
    </Can>
  );
}
