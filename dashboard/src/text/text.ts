import { useSyncExternalStore } from "react";
import type { errors } from "./en/errors.ts";
import type { en } from "./en.ts";

// Forty lines in place of a library of 18 kB, which the first load has no room for: names, values and plurals.

type Catalogue = typeof en & { errors: typeof errors };
type Leaves<T, Before extends string = ""> = {
  [K in keyof T & string]: T[K] extends string ? `${Before}${K}` : Leaves<T[K], `${Before}${K}.`>;
}[keyof T & string];
type WithoutNumber<K extends string> = K extends `${infer Stem}_one` | `${infer Stem}_other` ? Stem : K;

/** The name of a text. Of `rows_one` and `rows_other` it is `rows`, with `count` among the values. */
export type TextKey = WithoutNumber<Leaves<Catalogue>>;
export type Text = (key: TextKey, values?: Record<string, unknown>) => string;

export const LANGUAGES = { en: "English", de: "Deutsch" } as const;
export type Language = keyof typeof LANGUAGES;
const LOCALES: Record<Language, string> = { en: "en-GB", de: "de-DE" };
type Loads = { page: () => Promise<typeof en>; refusals: () => Promise<Pick<Catalogue, "errors">> };
const CATALOGUES: Record<Language, Loads> = {
  en: { page: async () => (await import("./en.ts")).en, refusals: () => import("./en/errors.ts") },
  de: { page: async () => (await import("./de.ts")).de, refusals: () => import("./de/errors.ts") },
};
const LANGUAGE_KEY = "laurel-language";

export const languageOf = (): Language => {
  const wanted = localStorage.getItem(LANGUAGE_KEY) ?? navigator.language.slice(0, 2);
  return wanted in LANGUAGES ? (wanted as Language) : "en";
};

const valueAt = (catalogue: unknown, key: string): unknown =>
  key.split(".").reduce((at, name) => (at as Record<string, unknown> | undefined)?.[name], catalogue);

/** The texts of one language. `{{name}}` stands for a value, and `count` chooses between `…_one` and `…_other`. */
export function createText(catalogue: Partial<Catalogue>, locale: string): Text {
  const plurals = new Intl.PluralRules(locale);
  return (key, values = {}) => {
    const { count } = values;
    const numbered = typeof count === "number" ? valueAt(catalogue, `${key}_${plurals.select(count)}`) : undefined;
    const found = numbered ?? valueAt(catalogue, key);
    if (typeof found !== "string") return key;
    return found.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
      const value = values[name];
      return typeof value === "number" ? new Intl.NumberFormat(locale).format(value) : String(value ?? "");
    });
  };
}

let current: { language: Language; text: Text } = { language: "en", text: (key) => key };
let refusals = () => Promise.resolve();
const listeners = new Set<() => void>();
function put(language: Language, catalogue: Partial<Catalogue>): void {
  current = { language, text: createText(catalogue, LOCALES[language]) };
  for (const listener of listeners) listener();
}

/** Loads something once. What could not be loaded is tried again when it is next asked for. */
export function loadOnce(load: () => Promise<void>): () => Promise<void> {
  let loading: Promise<void> | null = null;
  return () => {
    loading ??= load().catch(() => {
      loading = null;
    });
    return loading;
  };
}

/** Loads a language, and writes the page in it from now on. What refusals say comes when the page stands: few are ever shown. */
export async function speak(language: Language): Promise<void> {
  const load = CATALOGUES[language];
  const page = await load.page();
  put(language, page);
  localStorage.setItem(LANGUAGE_KEY, language);
  document.documentElement.lang = language;
  // A refusal is told by its key where they cannot be loaded.
  refusals = loadOnce(async () => {
    const { errors } = await load.refusals();
    if (current.language === language) put(language, { ...page, errors });
  });
  void refusals();
}
/** Whoever tells of a refusal waits for the texts of refusals. */
export const refusalTexts = (): Promise<void> => refusals();

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};
/** The texts in the language of the page. */
export const useText = (): Text => useSyncExternalStore(subscribe, () => current.text);
/** The same outside of components. */
export const textOf: Text = (key, values) => current.text(key, values);
/** The language that numbers and dates are written in. */
export const localeOf = (): string => LOCALES[current.language];
