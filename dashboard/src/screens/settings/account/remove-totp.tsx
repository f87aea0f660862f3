import { removeTotp } from "../../../api/operations.gen.ts";
import { useSend } from "../../../api/use-op.ts";
import { PasswordWindow } from "./password-window.tsx";

const TEXTS = { act: "account.switchOff", says: "account.switchOffSays", done: "account.factorOff" } as const;

/** Switches the second factor off, for who knows the password. */
export function RemoveTotp() {
  const { mutateAsync } = useSend(removeTotp);
  return <PasswordWindow texts={TEXTS} run={(password) => mutateAsync({ params: {}, body: { password } })} />;
}
