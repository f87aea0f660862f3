import { Button } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { rotateWebhookSecret, type WebhookSecret } from "../../api/operations.gen.ts";
import { useProject } from "../../api/session.ts";
import { confirm } from "../../kit/confirm/confirm.ts";
import { formatMoment } from "../../kit/date/date.ts";
import { Can } from "../../kit/page/can.tsx";
import { useAct } from "../../kit/undo/use-act.ts";
import { useText } from "../../text/text.ts";

const SecretWindow = lazy(() => import("../../kit/form/secret-window.tsx"));

/** A new secret for signatures. The one before signs for another day, so that receivers can change over. */
export function RotateSecret() {
  const t = useText();
  const { id, timezone } = useProject();
  const rotate = useAct(rotateWebhookSecret);
  const [secret, setSecret] = useState<WebhookSecret | null>(null);
  const ask = async () => {
    const act = { title: t("developers.rotateTitle"), says: t("developers.rotateSays"), act: t("developers.rotate") };
    if (!(await confirm(act))) return;
    const made = await rotate.run({ params: { projectId: id } });
    if (made) setSecret(made.answer);
  };
  return (
    <Can do="rotateWebhookSecret">
      <Button variant="default" loading={rotate.isPending} onClick={() => void ask()}>
        {t("developers.rotate")}
      </Button>
      <Suspense>
        {secret && (
          <SecretWindow
            title={t("developers.newSecret")}
            value={secret.webhook_token}
            says={[
              t("developers.oldUntil", { time: formatMoment(secret.previous_until, timezone) }),
              t("developers.secretHelp"),
            ]}
            onClose={() => setSecret(null)}
          />
        )}
      </Suspense>
    </Can>
  );
}
