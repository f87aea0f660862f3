import fs from "node:fs";
import { join } from "node:path";
import serveFiles from "@fastify/static";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { PAGES_POLICY } from "../documents/landing.ts";

/** The pages of the dashboard: which requests are theirs, and the answer to them. */
export type Dashboard = {
  mount(app: FastifyInstance): Promise<void>;
  /** Whether a request that no operation takes is for a page of the dashboard. */
  takes(request: FastifyRequest): boolean;
  send(request: FastifyRequest, reply: FastifyReply): unknown;
};

/** Stands in the built page for the nonce. `dashboard/vite.config.ts` has the same. */
const NONCE = /__LAUREL_NONCE__/g;
/** Addresses that never are pages of the dashboard, also where nothing is. */
const OF_OTHERS = /^\/(?:v\d+|management|client|api|docs|demo|invitation|health|metrics|assets)(?:\/|$)/;

export const isPageRequest = ({ method, url, headers }: FastifyRequest): boolean =>
  method === "GET" && !OF_OTHERS.test(url.split("?")[0]!) && (headers.accept ?? "").includes("text/html");

/** Everything is ours. Styles that the page writes by itself carry the nonce of their answer. */
export const policyWith = (nonce: string): string =>
  `default-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; ` +
  "base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const WAITING = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta http-equiv="refresh" content="2" />
    <title>Laurel</title>
    <link rel="stylesheet" href="/pages.css" />
  </head>
  <body>
    <header class="bar"><h1>Laurel</h1></header>
    <main class="page">
      <section class="card stack">
        <h2>The dashboard is being built</h2>
        <p>This takes some seconds after an installation. The page opens by itself. The API answers already.</p>
        <p class="small dim">When it does not open within a minute, the log of the server says why.
          <a href="/welcome">What else is here</a></p>
      </section>
    </main>
  </body>
</html>
`;

/** The page as it was built last. A build that ends while the server runs is seen with the next request. */
function createReader(file: string): () => string | null {
  let [read, page]: [number, string | null] = [0, null];
  return () => {
    const changed = fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (changed !== read) [read, page] = [changed, changed === 0 ? null : fs.readFileSync(file, "utf8")];
    return page;
  };
}

/** The dashboard as `dashboard/build.ts` leaves it in a folder. Until there is one, a page waits for it. */
export function builtDashboard(folder: string, newNonce: () => string): Dashboard {
  const readPage = createReader(join(folder, "index.html"));
  return {
    takes: isPageRequest,
    mount: async (app) => {
      await app.register(serveFiles, {
        root: join(folder, "assets"),
        prefix: "/assets/",
        preCompressed: true,
        immutable: true,
        maxAge: "1y",
        index: false,
        decorateReply: false,
        // It may still be built.
        suppressWarning: true,
      });
    },
    send: (_, reply) => {
      const page = readPage();
      reply.type("text/html; charset=utf-8").header("Vary", "Accept");
      if (page === null) return reply.header("Content-Security-Policy", PAGES_POLICY).send(WAITING);
      const nonce = newNonce();
      return reply.header("Content-Security-Policy", policyWith(nonce)).send(page.replace(NONCE, nonce));
    },
  };
}
