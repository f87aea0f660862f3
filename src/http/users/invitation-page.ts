import fs from "node:fs";
import { join } from "node:path";
import { staticFile } from "../documents/static-files.ts";

const read = (name: string) => fs.readFileSync(join(import.meta.dirname, name), "utf8");

/** Where the link of an invitation leads. It loads nothing from elsewhere; its script reads the token from the address. */
export const INVITATION_PAGE = staticFile("text/html; charset=utf-8", () => read("invitation-page.html"));
export const INVITATION_SCRIPT = staticFile("text/javascript; charset=utf-8", () => read("invitation-page.js"));
