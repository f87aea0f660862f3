import { randomBytes } from "node:crypto";
import { createIds } from "./core/ids.ts";
import type { NewId, NewSecret } from "./ctx.ts";

// The only clock and the only source of randomness. Everything else is given them.
const makeId = createIds(() => Date.now(), randomBytes);
export const now = (): string => new Date().toISOString();
export const newId: NewId = (prefix) => makeId(prefix);
export const newSecret: NewSecret = () => randomBytes(32).toString("hex");
export const newRequestId = (): string => makeId("v", "-");
