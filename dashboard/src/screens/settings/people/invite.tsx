import { Button } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { Can } from "../../../kit/page/can.tsx";
import { useText } from "../../../text/text.ts";
import { useInvitationLink } from "./invitation-link.tsx";

const InviteWindow = lazy(() => import("./invite-window.tsx"));

/** Sends a link with which somebody chooses a password. Without a mail server the link is shown. */
export function InviteButton() {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  const { make, window } = useInvitationLink();
  return (
    <Can do="inviteUser">
      <Button onClick={() => setOpen(true)}>{t("settings.invite")}</Button>
      <Suspense>{isOpen && <InviteWindow onUnsent={make} onClose={() => setOpen(false)} />}</Suspense>
      {window}
    </Can>
  );
}
