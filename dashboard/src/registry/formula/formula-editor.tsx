import {
  autocompletion,
  type Completion,
  type CompletionContext,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching } from "@codemirror/language";
import { type Diagnostic, linter } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { useEffect, useRef } from "react";
import { getRegistry, type Registry } from "../../api/operations.gen.ts";
import { useOp } from "../../api/use-op.ts";
import classes from "./formula.module.css";
import { faultOf } from "./formula-field.tsx";
import { useFormulaWords } from "./formula-words.ts";

const LOOKING_MS = 250;

/** Everything that may stand in a formula, from the registry of the server. */
function completionsOf(
  { formula_functions, formula_variables, formula_operators }: Registry,
  { helpOf }: ReturnType<typeof useFormulaWords>,
): Completion[] {
  return [
    ...formula_functions.map(({ name, help, arguments: takes, example }) => ({
      ...{ label: name, type: "function", detail: `(${takes})`, apply: `${name}(` },
      info: `${helpOf(name, help)} ${example.formula} = ${example.gives}`,
    })),
    ...formula_variables.map(({ name, help }) => ({ label: name, type: "variable", info: helpOf(name, help) })),
    ...formula_operators
      .filter(({ name }) => /^\w+$/.test(name))
      .map(({ name, help }) => ({ label: name, type: "keyword", info: helpOf(name, help) })),
  ];
}

/** The fault of the parser, from its place to the end of the word there. */
function diagnosticsOf(view: EditorView, says: (fault: string) => string): Diagnostic[] {
  const text = view.state.doc.toString();
  const fault = faultOf(text);
  if (fault === null) return [];
  const [from, to] =
    fault.at === null
      ? [0, text.length]
      : [
          Math.min(fault.at, Math.max(0, text.length - 1)),
          fault.at + (/^\w+/.exec(text.slice(fault.at))?.[0].length ?? 1),
        ];
  return [{ from, to: Math.min(to, text.length), severity: "error", message: says(fault.says) }];
}

const nonceOf = () => document.querySelector<HTMLMetaElement>("meta[property=csp-nonce]")?.nonce ?? "";

type Props = { label: string; formula: string; describedBy: string; onChange: (formula: string) => void };

export default function FormulaEditor({ label, formula, describedBy, onChange }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const { data } = useOp(getRegistry, {});
  const words = useFormulaWords();
  const latest = useRef({ completions: [] as Completion[], words, onChange });
  latest.current = { completions: data ? completionsOf(data, words) : [], words, onChange };
  const first = useRef(formula);
  useEffect(() => {
    const complete = (context: CompletionContext) => {
      const word = context.matchBefore(/\w+/);
      if (!word && !context.explicit) return null;
      return { from: word?.from ?? context.pos, options: latest.current.completions, validFor: /^\w*$/ };
    };
    const view = new EditorView({
      parent: place.current!,
      state: EditorState.create({
        doc: first.current,
        extensions: [
          // The policy of the page allows only styles that have its nonce.
          EditorView.cspNonce.of(nonceOf()),
          history(),
          bracketMatching(),
          closeBrackets(),
          autocompletion({ override: [complete], icons: false }),
          linter((shown) => diagnosticsOf(shown, latest.current.words.faultOf), { delay: LOOKING_MS }),
          keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap]),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({
            "aria-label": label,
            "aria-describedby": describedBy,
            spellcheck: "false",
          }),
          EditorView.updateListener.of(({ docChanged, state }) => {
            if (docChanged) latest.current.onChange(state.doc.toString());
          }),
        ],
      }),
    });
    return () => view.destroy();
  }, [label, describedBy]);
  return <div ref={place} className={classes.editor} />;
}
