import type { ErrorKey } from "../src/core/errors.ts";
import { errorsOf } from "../src/http/documents/error-answers.ts";
import { ALL_ROUTES } from "../src/routes.ts";

/** What operations answered and the OpenAPI document does not tell: "operation status key". */
export function undocumentedRefusals(lines: readonly string[]): string[] {
  const byId = new Map(ALL_ROUTES.map((route) => [route.id, errorsOf(route)]));
  return [...new Set(lines)].sort().filter((line) => {
    const [id = "", status = "", key = ""] = line.split(" ");
    const errors = byId.get(id);
    return errors && Number(status) < 500 && !errors.get(Number(status))?.includes(key as ErrorKey);
  });
}
