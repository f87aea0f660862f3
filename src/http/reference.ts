import type { FastifyError, FastifyInstance, FastifyRequest } from "fastify";
import { ApiError } from "../core/errors.ts";
import { isOurPageOnThisMachine } from "./loopback.ts";

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Laurel API reference</title>
  </head>
  <body>
    <div id="app"></div>
    <script src="/docs/scalar/js/scalar.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

/** Header names and their values, to be filled in for the reader. */
export type Prefill = Record<string, string>;

/** The API reference, all of it from our own origin. The demo's credentials are filled in on this machine only. */
export async function mountReference(app: FastifyInstance, prefill: Prefill | null) {
  const { default: scalar } = await import("@scalar/fastify-api-reference");
  await app.register(scalar, {
    routePrefix: "/docs/scalar",
    configuration: { url: "/openapi.json" },
    // Of the package only its script is served; the page is ours.
    hooks: {
      onRequest: (request, _, done) =>
        request.url === "/docs/scalar/js/scalar.js"
          ? done()
          : done(new ApiError("not_found") as unknown as FastifyError),
    },
  });
  const start = (request: FastifyRequest): string => {
    const values = Object.entries(prefill && isOurPageOnThisMachine(request) ? prefill : {}).map(([name, value]) => [
      name,
      { value },
    ]);
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
    return `Scalar.createApiReference("#app", ${JSON.stringify(configuration).replaceAll("<", "\\u003c")});\n`;
  };
  return { page: PAGE, start };
}
