import { join } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Stands in the built page for the nonce, which the server draws anew for each answer. */
export const NONCE = "__LAUREL_NONCE__";

export default defineConfig({
  root: import.meta.dirname,
  base: "/",
  // Each process has a cache of its own, away from the sources.
  cacheDir: join(import.meta.dirname, "../node_modules/.cache/laurel-dashboard"),
  plugins: [react()],
  html: { cspNonce: NONCE },
  build: {
    outDir: "dist.next",
    emptyOutDir: true,
    manifest: true,
    target: ["chrome125", "firefox128", "safari18"],
    // An inlined file would be a data: address, which the policy of the page stops.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // Every page needs all of it. In several files, each of the others would name more of them.
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: "react", test: /node_modules\/(react|react-dom|scheduler)\// }] } },
    },
  },
});
