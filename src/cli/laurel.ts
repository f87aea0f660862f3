#!/usr/bin/env node
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { bundled } from "./bundle.ts";

// Compiled sources are kept beside the packages, where only who installed them can write. A start with them costs half the
// CPU; where the folder cannot be written to, a start just costs more.
enableCompileCache(process.env.NODE_COMPILE_CACHE ?? join(import.meta.dirname, "../../node_modules/.cache/laurel"));

await import((await bundled()) ?? "./commands.ts");
