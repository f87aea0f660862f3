import { openApi } from "../http/openapi.ts";
import { VERSION } from "../main.ts";
import { ALL_ROUTES } from "../routes.ts";

export const openApiText = (): string => `${JSON.stringify(openApi(ALL_ROUTES, VERSION), null, 2)}\n`;

export const openApiCommand = (): void => void process.stdout.write(openApiText());
