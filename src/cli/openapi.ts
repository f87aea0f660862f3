import { examplesOf } from "../demo/examples.ts";
import { openApi } from "../http/documents/openapi.ts";
import { ALL_ROUTES } from "../routes.ts";
import { VERSION } from "../version.ts";

// The committed document is the same in every year.
const YEAR = 2026;
const document = (year: number) => openApi(ALL_ROUTES, VERSION, examplesOf(ALL_ROUTES, year));

/** The document that a server sends, with examples that work at that time. */
export const openApiJson = (now: string): string => JSON.stringify(document(Number(now.slice(0, 4))));
/** The document as openapi.json holds it. */
export const openApiText = (): string => `${JSON.stringify(document(YEAR), null, 1)}\n`;

export const openApiCommand = (): void => void process.stdout.write(openApiText());
