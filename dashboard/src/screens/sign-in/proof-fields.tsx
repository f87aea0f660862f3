import { Alert, PasswordInput, TextInput } from "@mantine/core";
import { type UseFormReturnType, useForm } from "@mantine/form";
import { useState } from "react";
import { isRefused } from "../../api/errors.ts";
import { type TextKey, useText } from "../../text/text.ts";

type Values = { email: string; password: string; code: string };
type Asking = {
  /** Who it is, where that is known. */
  login?: string;
  asksEmail: boolean;
  asksPassword: boolean;
  faultOf: (error: unknown) => TextKey;
  /** `code` is empty as long as none is asked for. */
  run: (values: Values) => Promise<unknown>;
};

/** Asks for a password, and for a code from the moment on at which the server wants one. */
export function useProof({ login = "", asksEmail, asksPassword, faultOf, run }: Asking) {
  const t = useText();
  const [asksCode, setAsksCode] = useState(!asksPassword);
  const [fault, setFault] = useState<TextKey | null>(null);
  const [isBusy, setBusy] = useState(false);
  const filledWhere = (isAsked: boolean) => (value: string) =>
    isAsked && value.trim() === "" ? t("signIn.missing") : null;
  const form = useForm<Values>({
    mode: "uncontrolled",
    initialValues: { email: login, password: "", code: "" },
    validate: {
      email: filledWhere(asksEmail),
      password: filledWhere(asksPassword),
      code: filledWhere(asksCode),
    },
  });
  const submit = form.onSubmit(async ({ email, password, code }) => {
    setBusy(true);
    setFault(null);
    try {
      await run({ email: email.trim(), password, code: asksCode ? code.trim() : "" });
    } catch (error) {
      if (!asksCode && isRefused(error, "second_factor_required")) setAsksCode(true);
      else setFault(faultOf(error));
    } finally {
      setBusy(false);
    }
  });
  return { form, fault, isBusy, asksPassword, asksCode, submit };
}

export const ProofFault = ({ fault }: { fault: TextKey | null }) => {
  const t = useText();
  return fault ? (
    <Alert color="red" variant="light" role="alert">
      {t(fault)}
    </Alert>
  ) : null;
};

type Props = { of: { form: UseFormReturnType<Values>; asksPassword: boolean; asksCode: boolean }; isFirst: boolean };

/** `isFirst`: no field stands before the password. */
export function ProofFields({ of: { form, asksPassword, asksCode }, isFirst }: Props) {
  const t = useText();
  return (
    <>
      {asksPassword && (
        <PasswordInput
          label={t("signIn.password")}
          autoComplete="current-password"
          autoFocus={isFirst}
          data-autofocus={isFirst || undefined}
          key={form.key("password")}
          {...form.getInputProps("password")}
        />
      )}
      {asksCode && (
        <TextInput
          label={t("signIn.code")}
          description={t("signIn.codeHelp")}
          autoComplete="one-time-code"
          inputMode="numeric"
          autoFocus
          key={form.key("code")}
          {...form.getInputProps("code")}
        />
      )}
    </>
  );
}
