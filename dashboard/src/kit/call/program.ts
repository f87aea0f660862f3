import type { AnyOp } from "../../api/op.ts";
import { addressOf } from "../../api/send.ts";
import { type CallOptions, credentialOf } from "./curl.ts";

/** The headers of a key, and where a program finds them: no secret is ever copied. */
const KEYS = {
  app: { "X-App-Id": "LAUREL_APP_ID", "X-App-Token": "LAUREL_APP_TOKEN" },
  management: { "X-Management-Id": "LAUREL_MANAGEMENT_ID", "X-Management-Token": "LAUREL_MANAGEMENT_TOKEN" },
  session: { Cookie: "LAUREL_SESSION_COOKIE" },
} as const;

/** What is sent, and what has to stand before it. */
function contentOf({ body, file }: CallOptions): { before: string[]; content: string[] } {
  if (file !== undefined) {
    const before = [
      'import { openAsBlob } from "node:fs";',
      "",
      "const form = new FormData();",
      `form.set("file", await openAsBlob(${JSON.stringify(file)}), ${JSON.stringify(file)});`,
    ];
    return { before, content: ["  body: form,"] };
  }
  return { before: [], content: body === undefined ? [] : [`  body: JSON.stringify(${JSON.stringify(body)}),`] };
}

/** A call as lines of a program in TypeScript. */
export function programOf(operation: AnyOp, params: object, options: CallOptions): string {
  const { method } = operation;
  const { body, origin, place = "" } = options;
  const headers = [
    ...Object.entries(KEYS[credentialOf(operation)]).map(
      ([name, variable]) => `    "${name}": process.env.${variable}!,`,
    ),
    ...(body === undefined ? [] : ['    "Content-Type": "application/json",']),
  ];
  const { before, content } = contentOf(options);
  return [
    ...before,
    `const response${place} = await fetch(${JSON.stringify(origin + addressOf(operation, params))}, {`,
    ...(method === "GET" ? [] : [`  method: "${method}",`]),
    "  headers: {",
    ...headers,
    "  },",
    ...content,
    "});",
    ...(method === "DELETE" ? [] : [`const answer${place} = await response${place}.json();`]),
  ].join("\n");
}
