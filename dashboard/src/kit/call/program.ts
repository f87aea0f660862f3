import type { AnyOp } from "../../api/op.ts";
import { addressOf } from "../../api/send.ts";

/** The headers of a key, and where a program finds them: no secret is ever copied. */
const KEYS = {
  app: { "X-App-Id": "LAUREL_APP_ID", "X-App-Token": "LAUREL_APP_TOKEN" },
  management: { "X-Management-Id": "LAUREL_MANAGEMENT_ID", "X-Management-Token": "LAUREL_MANAGEMENT_TOKEN" },
} as const;

/** A call as lines of a program in TypeScript. */
export function programOf(
  operation: AnyOp,
  params: object,
  { body, origin }: { body?: unknown; origin: string },
): string {
  const { method, path } = operation;
  const keys = KEYS[path.startsWith("/management/") ? "management" : "app"];
  const headers = [
    ...Object.entries(keys).map(([name, variable]) => `    "${name}": process.env.${variable}!,`),
    ...(body === undefined ? [] : ['    "Content-Type": "application/json",']),
  ];
  return [
    `const response = await fetch(${JSON.stringify(origin + addressOf(operation, params))}, {`,
    ...(method === "GET" ? [] : [`  method: "${method}",`]),
    "  headers: {",
    ...headers,
    "  },",
    ...(body === undefined ? [] : [`  body: JSON.stringify(${JSON.stringify(body)}),`]),
    "});",
    ...(method === "DELETE" ? [] : ["const answer = await response.json();"]),
  ].join("\n");
}
