import { openApi } from "../http/openapi.ts";
import { ALL_ROUTES } from "../routes.ts";
import { VERSION } from "../version.ts";

export const openApiText = (): string => `${JSON.stringify(openApi(ALL_ROUTES, VERSION), null, 2)}\n`;

export const openApiCommand = (): void => void process.stdout.write(openApiText());
