import { lazy, Suspense } from "react";
import type { KeyWithSecret } from "../../api/operations.gen.ts";
import { useProject } from "../../api/session.ts";
import { formatMoment } from "../../kit/date/date.ts";
import { useText } from "../../text/text.ts";

const SecretWindow = lazy(() => import("../../kit/form/secret-window.tsx"));

/** The headers that a key is sent with. */
const HEADERS = {
  app: ["X-App-Id", "X-App-Token"],
  client: ["X-Client-Application-Id", "X-Client-Token"],
} as const;

/** The secret of a key, once it was made. */
export function KeySecret({ made, onClose }: { made: KeyWithSecret | null; onClose: () => void }) {
  const t = useText();
  const { timezone } = useProject();
  if (made === null) return null;
  const [id, secret] = HEADERS[made.kind];
  const until = made.previous_until && formatMoment(made.previous_until, timezone);
  return (
    <Suspense>
      <SecretWindow
        title={t("developers.keySecret")}
        value={`${id}: ${made.id}\n${secret}: ${made.secret}`}
        says={until ? [t("developers.keyOldUntil", { time: until })] : []}
        onClose={onClose}
      />
    </Suspense>
  );
}
