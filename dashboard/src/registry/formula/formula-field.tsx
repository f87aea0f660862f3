import { Input } from "@mantine/core";
import { lazy, type ReactNode, Suspense, useId, useState } from "react";
import { formulaFaultAt } from "../../../../src/core/formula/parse.ts";
import { useText } from "../../text/text.ts";

import { useFormulaWords } from "./formula-words.ts";

// The editor is larger than all else on the page: it comes when a formula is shown.
const FormulaEditor = lazy(() => import("./formula-editor.tsx"));

type Props = {
  label: string;
  description?: ReactNode;
  defaultValue?: string | null;
  onChange?: (formula: string) => void;
  error?: ReactNode;
};

export type FormulaFault = { at: number | null; says: string };
/** What the parser of the server says. A browser that lacks what it needs says nothing: the server looks when it is saved. */
export function faultOf(formula: string): FormulaFault | null {
  try {
    return formula.trim() === "" ? null : formulaFaultAt(formula);
  } catch {
    return null;
  }
}

/** A formula, with completion, and each fault at its place. */
export default function FormulaField({ label, description, defaultValue, onChange, error }: Props) {
  const t = useText();
  const id = useId();
  const [formula, setFormula] = useState(defaultValue ?? "");
  const fault = faultOf(formula);
  const change = (next: string) => {
    setFormula(next);
    onChange?.(next);
  };
  const words = useFormulaWords();
  const says = fault && words.faultOf(fault.says);
  const said =
    fault && (fault.at === null ? says : t("registry.formula.faultAt", { place: fault.at + 1, says: says ?? "" }));
  return (
    <Input.Wrapper
      label={label}
      description={description ?? t("registry.formula.help")}
      error={said ?? error}
      labelElement="div"
      errorProps={{ id: `${id}-error`, role: "status" }}
      // A form is not saved while a formula cannot be read.
      data-wrong={fault === null ? undefined : true}
    >
      {/* Nothing to type into yet: it would lose the focus to the editor. */}
      <Suspense fallback={<code aria-busy>{formula}</code>}>
        <FormulaEditor label={label} formula={formula} onChange={change} describedBy={`${id}-error`} />
      </Suspense>
    </Input.Wrapper>
  );
}
