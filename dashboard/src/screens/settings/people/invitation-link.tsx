import { lazy, type ReactNode, Suspense, useState } from "react";
import { createInvitationLink, type InvitationLink } from "../../../api/operations.gen.ts";
import { useProject } from "../../../api/session.ts";
import { formatMoment } from "../../../kit/date/date.ts";
import { useAct } from "../../../kit/undo/use-act.ts";
import { useText } from "../../../text/text.ts";

const SecretWindow = lazy(() => import("../../../kit/form/secret-window.tsx"));

/** Makes the link of an invitation and shows it: where no mail server takes it to them, the owner does. */
export function useInvitationLink(): { make: (userId: string, email: string) => Promise<void>; window: ReactNode } {
  const t = useText();
  const { id: projectId, timezone } = useProject();
  const { run } = useAct(createInvitationLink);
  const [shown, setShown] = useState<(InvitationLink & { email: string }) | null>(null);
  const make = async (userId: string, email: string) => {
    const made = await run({ params: { projectId, userId } });
    if (made) setShown({ ...made.answer, email });
  };
  const window = shown && (
    <Suspense>
      <SecretWindow
        title={t("settings.linkFor", { email: shown.email })}
        // A server that does not know its own address answers with the path.
        value={new URL(shown.url, location.origin).href}
        warns={t("settings.linkWarns", { email: shown.email })}
        says={[
          t("settings.linkSays", { time: formatMoment(shown.expires_at, timezone) }),
          t("settings.linkAgain", { act: t("settings.newLink") }),
        ]}
        onClose={() => setShown(null)}
      />
    </Suspense>
  );
  return { make, window };
}
