import { Button } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { Can } from "../../../kit/page/can.tsx";
import { useText } from "../../../text/text.ts";

const InviteWindow = lazy(() => import("./invite-window.tsx"));

/** Sends a link with which somebody chooses a password. Without a mail server the link is in the log. */
export function InviteButton() {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  return (
    <Can do="inviteUser">
      <Button onClick={() => setOpen(true)}>{t("settings.invite")}</Button>
      <Suspense>{isOpen && <InviteWindow onClose={() => setOpen(false)} />}</Suspense>
    </Can>
  );
}
