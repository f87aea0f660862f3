import { IconCheck, IconMinus, IconX } from "@tabler/icons-react";
import { useText } from "../../text/text.ts";
import classes from "./trace.module.css";

/** Whether something held: a sign, and a word for who does not see it. Null: it was not asked. */
export function Verdict({ passed }: { passed: boolean | null }) {
  const t = useText();
  const [Icon, look, word] =
    passed === null
      ? ([IconMinus, classes.open, "registry.notAsked"] as const)
      : passed
        ? ([IconCheck, classes.yes, "registry.passed"] as const)
        : ([IconX, classes.no, "registry.failed"] as const);
  return <Icon size={16} stroke={2.5} role="img" aria-label={t(word)} {...(look && { className: look })} />;
}
