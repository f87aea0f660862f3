import { Button } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import type { KeyWithSecret } from "../../api/operations.gen.ts";
import { Can } from "../../kit/page/can.tsx";
import { useText } from "../../text/text.ts";
import { KeySecret } from "./key-secret.tsx";

const NewKeyWindow = lazy(() => import("./new-key-window.tsx"));

/** Makes a key pair and shows its secret, this once. */
export function NewKey() {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  const [made, setMade] = useState<KeyWithSecret | null>(null);
  const done = (key: KeyWithSecret) => {
    setOpen(false);
    setMade(key);
  };
  return (
    <Can do="createKey">
      <Button onClick={() => setOpen(true)}>{t("developers.newKey")}</Button>
      <Suspense>{isOpen && <NewKeyWindow onMade={done} onClose={() => setOpen(false)} />}</Suspense>
      <KeySecret made={made} onClose={() => setMade(null)} />
    </Can>
  );
}
