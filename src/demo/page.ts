import fs from "node:fs";
import { join } from "node:path";
import { isOurPageOnThisMachine } from "../http/callers/loopback.ts";
import type { Prefill } from "../http/documents/reference.ts";
import { staticFile } from "../http/documents/static-files.ts";
import type { DemoPage } from "../http/open-routes.ts";
import { KNOWN_CODES } from "./promotions.ts";

const read = (name: string) => fs.readFileSync(join(import.meta.dirname, name), "utf8");

/** The fields of the page's form of keys, with the header that each of them is. */
const FIELDS = {
  app_id: "X-App-Id",
  app_token: "X-App-Token",
  client_id: "X-Client-Application-Id",
  client_token: "X-Client-Token",
};

/**
 * A small shop. It loads nothing from anywhere else. Keys are filled in only for a reader on this machine, as in the API
 * reference: the shop plays the page and the server of a shop at once.
 */
export function demoPage(prefill: Prefill | null): DemoPage {
  return {
    page: staticFile("text/html; charset=utf-8", () => read("page.html")),
    script: staticFile("text/javascript; charset=utf-8", () => read("page.js")),
    keys: (request) => ({
      ...Object.fromEntries(
        Object.entries(FIELDS).map(([field, header]) => [
          field,
          (prefill && isOurPageOnThisMachine(request) && prefill[header]) || "",
        ]),
      ),
      // A loyalty card is a code too, and nothing that is typed into a cart.
      codes: KNOWN_CODES.filter(({ code }) => code !== "CLUB-DEMO"),
    }),
  };
}
