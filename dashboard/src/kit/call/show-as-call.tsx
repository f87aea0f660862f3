import { ActionIcon, Button } from "@mantine/core";
import { IconCode } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import type { Call } from "../../api/op.ts";
import { useText } from "../../text/text.ts";

const CallWindow = lazy(() => import("./call-window.tsx"));

type ShownProps = { calls: readonly Call[] | null; isForm?: boolean; onClose: () => void };
const Shown = ({ calls, ...props }: ShownProps) =>
  calls && (
    <Suspense>
      <CallWindow calls={calls} {...props} />
    </Suspense>
  );

/** "Show as API call": what the page reads, as a line for a terminal, and a link that opens the page in its project. */
export function ShowAsCall(call: Call) {
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
      <Shown calls={isOpen ? [call] : null} onClose={() => setOpen(false)} />
    </>
  );
}

/** The same of a form: what it would send as it is filled in now. */
export function ShowFormAsCall({ of: callsOf }: { of: () => Promise<readonly Call[]> }) {
  const t = useText();
  const [calls, setCalls] = useState<readonly Call[] | null>(null);
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconCode size={16} stroke={1.75} />}
        onClick={() => void callsOf().then(setCalls)}
      >
        {t("kit.call.show")}
      </Button>
      <Shown calls={calls} isForm onClose={() => setCalls(null)} />
    </>
  );
}
