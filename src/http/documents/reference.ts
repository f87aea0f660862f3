import fastify, { type FastifyRequest } from "fastify";
import { isOurPageOnThisMachine } from "../callers/loopback.ts";
import { staticFile } from "./static-files.ts";

const pageWith = (script: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Laurel API reference</title>
  </head>
  <body>
    <div id="app"></div>
    <script src="/docs/assets/${script}"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

/** Header names and their values, to be filled in for the reader. */
export type Prefill = Record<string, string>;

/** The script of the reference. The package keeps it inside a Fastify plugin, so a server that never listens gives it. */
async function readScript(): Promise<string> {
  const { default: scalar } = await import("@scalar/fastify-api-reference");
  const app = fastify();
  await app.register(scalar, { routePrefix: "/scalar", configuration: { url: "/openapi.json" } });
  const reply = await app.inject("/scalar/js/scalar.js");
  await app.close();
  return reply.body;
}

// Operations of v2 take a token beside the pair. The page asks for one, so that they can be sent at once.
const WITH_TOKEN = `
async function withToken(configuration) {
  const schemes = configuration.authentication.securitySchemes;
  const pair = ["X-App-Id", "X-App-Token"].map((name) => [name, schemes[name]?.value ?? ""]);
  const body = new URLSearchParams({ grant_type: "client_credentials", scope: "api" });
  const reply = await fetch("/v1/oauth/token", { method: "POST", headers: Object.fromEntries(pair), body });
  if (reply.ok) schemes.Bearer = { token: (await reply.json()).access_token };
  return configuration;
}`;

export type Reference = ReturnType<typeof createReference>;

/** The API reference, all of it from our own origin. The demo's credentials are filled in on this machine only. */
export function createReference(prefill: Prefill | null) {
  const script = staticFile("text/javascript; charset=utf-8", readScript);
  const scriptName = async () => `scalar.${(await script.load()).hash}.js`;
  const page = staticFile("text/html; charset=utf-8", async () => pageWith(await scriptName()));
  const start = (request: FastifyRequest): string => {
    const pairs = prefill && isOurPageOnThisMachine(request) ? prefill : {};
    const values = Object.entries(pairs).map(([name, value]) => [name, { value }]);
    const configuration = {
      url: "/openapi.json",
      withDefaultFonts: false,
      telemetry: false,
      // What needs another company's servers is not there: the page works offline and tells nobody what is read.
      hideClientButton: true,
      showDeveloperTools: "never",
      agent: { disabled: true },
      mcp: { disabled: true },
      authentication: {
        preferredSecurityScheme: [["X-App-Id", "X-App-Token"]],
        securitySchemes: Object.fromEntries(values),
      },
    };
    const text = JSON.stringify(configuration).replaceAll("<", "\\u003c");
    const show = `const show = (configuration) => Scalar.createApiReference("#app", configuration);\n`;
    return values.length === 0 ? `${show}show(${text});\n` : `${show}${WITH_TOKEN}\nwithToken(${text}).then(show);\n`;
  };
  return { page, script, scriptName, start };
}
