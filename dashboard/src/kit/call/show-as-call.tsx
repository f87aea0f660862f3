import { ActionIcon } from "@mantine/core";
import { IconCode } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import type { AnyOp } from "../../api/op.ts";
import { useText } from "../../text/text.ts";

const CallWindow = lazy(() => import("./call-window.tsx"));

/** "Show as API call": what the page reads, as a line for a terminal, and a link that opens the page in its project. */
export function ShowAsCall(call: { operation: AnyOp; params: object; body?: unknown }) {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <ActionIcon
        title={t("kit.call.show")}
        variant="default"
        onClick={() => setOpen(true)}
        aria-label={t("kit.call.show")}
      >
        <IconCode size={18} stroke={1.75} />
      </ActionIcon>
      {isOpen && (
        <Suspense>
          <CallWindow {...call} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
