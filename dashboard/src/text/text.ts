import i18next from "i18next";
import { initReactI18next, useTranslation } from "react-i18next";
import { en } from "./en.ts";

type Leaves<T, Before extends string = ""> = {
  [K in keyof T & string]: T[K] extends string ? `${Before}${K}` : Leaves<T[K], `${Before}${K}.`>;
}[keyof T & string];
type WithoutNumber<K extends string> = K extends `${infer Stem}_one` | `${infer Stem}_other` ? Stem : K;

/** The name of a text. Of `rows_one` and `rows_other` it is `rows`, with `count` among the values. */
export type TextKey = WithoutNumber<Leaves<typeof en>>;
export type Text = (key: TextKey, values?: Record<string, unknown>) => string;

export const LANGUAGES = { en: "English", de: "Deutsch" } as const;
export type Language = keyof typeof LANGUAGES;
const LANGUAGE_KEY = "laurel-language";

export const languageOf = (): Language => {
  const wanted = localStorage.getItem(LANGUAGE_KEY) ?? navigator.language.slice(0, 2);
  return wanted in LANGUAGES ? (wanted as Language) : "en";
};

async function load(language: Language): Promise<void> {
  if (language === "en" || i18next.hasResourceBundle(language, "translation")) return;
  const { de } = await import("./de.ts");
  i18next.addResourceBundle("de", "translation", de);
}

export async function startText(): Promise<void> {
  const language = languageOf();
  await i18next.use(initReactI18next).init({
    lng: language,
    fallbackLng: "en",
    resources: { en: { translation: en } },
    // React escapes by itself.
    interpolation: { escapeValue: false },
  });
  await load(language);
  await speak(language);
}

export async function speak(language: Language): Promise<void> {
  await load(language);
  localStorage.setItem(LANGUAGE_KEY, language);
  document.documentElement.lang = language;
  await i18next.changeLanguage(language);
}

/** The text of a name, in the language of the page. */
export function useText(): Text {
  const { t } = useTranslation();
  return t as unknown as Text;
}

/** The same outside of components. */
export const textOf: Text = (key, values) => i18next.t(key as never, values as never) as unknown as string;
/** The language that numbers and dates are written in. */
export const localeOf = (): string => (i18next.language === "de" ? "de-DE" : "en-GB");
