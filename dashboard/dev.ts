import fs from "node:fs";
import { join } from "node:path";
import { createServer } from "vite";
import { type Dashboard, isPageRequest, policyWith } from "../src/http/dashboard/dashboard.ts";
import { NONCE } from "./vite.config.ts";

const OF_THE_API = /^\/(?:v\d+|management|client|api|docs|demo|invitation|health|metrics)(?:\/|$)/;

/** The dashboard from its sources: a change of one is on the page at once. Vite is inside this server. */
export function sourceDashboard(newNonce: () => string): Dashboard {
  const starting = Promise.withResolvers<Awaited<ReturnType<typeof createServer>>>();
  return {
    mount: async (app) => {
      const vite = await createServer({
        configFile: join(import.meta.dirname, "vite.config.ts"),
        // Bundled, it would be written to a file that `node --watch` sees: the server would start again for ever.
        configLoader: "native",
        server: { middlewareMode: true, hmr: { server: app.server } },
        appType: "custom",
      });
      app.addHook("onClose", () => vite.close());
      starting.resolve(vite);
    },
    takes: ({ method, url }) => method === "GET" && !OF_THE_API.test(url.split("?")[0]!),
    send: async (request, reply) => {
      const vite = await starting.promise;
      const { raw } = request;
      const isPage = isPageRequest(request);
      reply.hijack();
      reply.raw.removeHeader("Content-Security-Policy");
      vite.middlewares(raw, reply.raw, async () => {
        if (!isPage) return reply.raw.writeHead(404).end();
        const nonce = newNonce();
        const source = fs.readFileSync(join(import.meta.dirname, "index.html"), "utf8");
        const page = (await vite.transformIndexHtml(request.url, source)).replaceAll(NONCE, nonce);
        // Vite adds a script to the page itself.
        const policy = `${policyWith(nonce)}; script-src 'self' 'nonce-${nonce}'`;
        reply.raw.writeHead(200, { "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": policy });
        return reply.raw.end(page);
      });
    },
  };
}
