import { numberFormat } from "../../text/formats.ts";
import { localeOf } from "../../text/text.ts";

/** 1200 is `1,200`, as the language of the page writes it. */
export const formatCount = (value: number): string => numberFormat(localeOf()).format(value);
