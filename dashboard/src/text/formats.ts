/** A formatter takes a hundred times as long to make as to use, and a list uses the same few in every row. */
const kept = <O extends object, F>(make: (locale: string, options: O) => F) => {
  const made = new Map<string, F>();
  return (locale: string, options: O = {} as O): F => {
    const key = locale + JSON.stringify(options);
    const known = made.get(key) ?? make(locale, options);
    made.set(key, known);
    return known;
  };
};

export const numberFormat = kept((locale, options: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, options));
export const dateFormat = kept(
  (locale, options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options),
);
