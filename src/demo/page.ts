import { createHash } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import { isOurPageOnThisMachine } from "../http/loopback.ts";
import type { DemoPage } from "../http/open-routes.ts";
import type { Prefill } from "../http/reference.ts";
import { staticFile } from "../http/static-files.ts";

const read = (name: string) => fs.readFileSync(join(import.meta.dirname, name), "utf8");
const hashOf = (text: string) => createHash("sha256").update(text).digest("base64");

/**
 * A page that calls the client-side operations as a shop's page would. It loads nothing from anywhere else, and the only
 * keys it is ever given are those for pages, on this machine.
 */
export function demoPage(prefill: Prefill | null): DemoPage {
  const page = read("page.html");
  const style = /<style>(.*?)<\/style>/s.exec(page)![1]!;
  return {
    page: staticFile("text/html; charset=utf-8", () => page),
    policy:
      `default-src 'none'; script-src 'self'; style-src 'sha256-${hashOf(style)}'; connect-src 'self'; ` +
      "form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
    script: staticFile("text/javascript; charset=utf-8", () => read("page.js")),
    keys: (request) => ({
      id: "",
      token: "",
      ...(prefill &&
        isOurPageOnThisMachine(request) && {
          id: prefill["X-Client-Application-Id"],
          token: prefill["X-Client-Token"],
        }),
    }),
  };
}
