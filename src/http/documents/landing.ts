import fs from "node:fs";
import { join } from "node:path";
import type { FastifyRequest } from "fastify";
import { isFromThisMachine } from "../callers/loopback.ts";

/** What `/` tells of the process: its version, which pages it serves, and where the credentials files are. */
export type Landing = { version: string; docs: boolean; demo: boolean; dataDir: string };

/** Nothing but the stylesheet is loaded. */
export const PAGES_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
  "form-action 'none'; frame-ancestors 'none'; base-uri 'none'";
export const PAGES_CSS = fs.readFileSync(join(import.meta.dirname, "pages.css"), "utf8");

const escaped = (text: string) => text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`);
const quoted = (path: string) => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);

type Call = { title: string; says: string; text: string };

/** Three calls that work as they stand: on the demo, or on an empty project. */
function callsToTry({ demo }: Pick<Landing, "demo">, { url, headers }: { url: string; headers: string }): Call[] {
  const curl = `curl -H @${headers}`;
  const json = `-H "Content-Type: application/json"`;
  if (!demo)
    return [
      { title: "List the categories", says: "An empty project has none.", text: `${curl} ${url}/v1/categories` },
      {
        title: "Create a code",
        says: "10% off the order. Calling it twice answers that the code exists.",
        text: `${curl} ${json} -d '{"type": "DISCOUNT_VOUCHER", "discount": {"type": "PERCENT", "percent_off": 10}}' ${url}/v1/vouchers/HELLO10`,
      },
      {
        title: "Ask what a cart costs with it",
        says: "Amounts are in cents: 5000 is 50.00.",
        text: `${curl} ${json} -d '{"redeemables": [{"object": "voucher", "id": "HELLO10"}], "order": {"amount": 5000}}' ${url}/v1/validations`,
      },
    ];
  return [
    {
      title: "Ask what a cart costs with a code",
      says: "WELCOME10 takes 10% off. Amounts are in cents: 5000 is 50.00.",
      text: `${curl} ${json} -d '{"redeemables": [{"object": "voucher", "id": "WELCOME10"}], "order": {"amount": 5000}}' ${url}/v1/validations`,
    },
    {
      title: "Ask why a code does not work",
      says: "VIP20 is for VIP customers, and bob is none. The trace says which rule failed.",
      text: `${curl} ${json} -d '{"redeemables": [{"object": "voucher", "id": "VIP20"}], "customer": {"source_id": "bob"}, "order": {"amount": 5000}, "options": {"expand": ["trace"]}}' ${url}/v1/validations`,
    },
    {
      title: "Read a loyalty card",
      says: "CLUB-DEMO is the card of bob.",
      text: `${curl} ${url}/v1/loyalties/members/CLUB-DEMO`,
    },
  ];
}

/** The page at `/`. Where the files with the credentials are is told on this machine only. */
export function landingPage(landing: Landing, request: FastifyRequest): string {
  const { version, docs, demo, dataDir } = landing;
  const url = `${request.protocol}://${request.host}`;
  const headers = isFromThisMachine(request) ? quoted(join(dataDir, "credentials/app.headers")) : "app.headers";
  const links = [
    ...(demo ? [["/demo", "Demo shop", "a cart, codes, points, and why a code does or does not apply"]] : []),
    ...(docs ? [["/docs", "API reference", "all operations, with a form to send each of them"]] : []),
    ["/openapi.json", "OpenAPI document", "for generated clients"],
    ["/health/ready", "Health", "whether this process can serve"],
  ] as const;
  const calls = callsToTry(landing, { url, headers }).map(
    ({ title, says, text }) => `
        <h3>${escaped(title)}</h3>
        <p class="small dim">${escaped(says)}</p>
        <pre class="call" tabindex="0">${escaped(text)}</pre>`,
  );
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Laurel</title>
    <link rel="stylesheet" href="/pages.css" />
  </head>
  <body>
    <header class="bar">
      <h1>Laurel</h1>
      <span class="dim small">version ${escaped(version)}</span>
    </header>
    <main class="page">
      <section class="card stack">
        <h2>Laurel is running</h2>
        <p>An engine for promotions, loyalty and referrals. Your shop calls it over HTTP.</p>
        <ul class="links">${links
          .map(([path, name, says]) => `<li><a href="${path}">${name}</a>: ${says}</li>`)
          .join("")}</ul>
      </section>
      <section class="card stack">
        <h2>Three calls to try</h2>
        <p class="small dim">Paste them into a terminal in the folder where the server was started. A click selects a call.</p>${calls.join("")}
      </section>
      <p class="small dim">More is in README.md and in docs/ of the folder that Laurel was started from.</p>
    </main>
  </body>
</html>
`;
}
