import { Button } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { useText } from "../../../text/text.ts";
import type { PasswordTexts } from "./password-question.tsx";

const PasswordQuestion = lazy(() => import("./password-question.tsx"));

type Props = { texts: PasswordTexts; run: (password: string) => Promise<unknown> };

/** What only somebody may do who knows the password of who is signed in: a button, and the question behind it. */
export function PasswordWindow({ texts, run }: Props) {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {t(texts.act)}
      </Button>
      <Suspense>{isOpen && <PasswordQuestion texts={texts} run={run} onClose={() => setOpen(false)} />}</Suspense>
    </>
  );
}
