import { useEffect, useState } from "react";
import { localeOf } from "../../text/text.ts";

type Words = typeof import("../../text/de/formula.ts");
/** Languages that formulas are explained in, beside that of the server. */
const WORDS: Record<string, () => Promise<Words>> = { de: () => import("../../text/de/formula.ts") };

/** What is wrong with a formula, in the words of a language; the parser's own where there are none. */
export function faultWord(says: string, faults: Words["faults"]): string {
  const [pattern, words] = faults.find(([one]) => one.test(says)) ?? [];
  return pattern && words !== undefined ? says.replace(pattern, words) : says;
}

/** The words for formulas in the language of the page. Until they are read, and in English, those of the server hold. */
export function useFormulaWords() {
  const [words, setWords] = useState<Words | null>(null);
  const language = localeOf().slice(0, 2);
  useEffect(() => {
    let isWanted = true;
    void WORDS[language]?.().then((loaded) => isWanted && setWords(loaded));
    return () => {
      isWanted = false;
    };
  }, [language]);
  return {
    helpOf: (name: string, help: string) => words?.help[name] ?? help,
    faultOf: (says: string) => (words ? faultWord(says, words.faults) : says),
  };
}
