import assert from "node:assert/strict";
import sdk from "@voucherify/sdk";
import { headersIn, serve, tempDir } from "../support/child.ts";
import { testDatabase } from "../support/engine.ts";

/** The published JavaScript client against a server as anybody starts it. Nothing is changed but the address. */
export async function publishedClient() {
  const { url: DATABASE_URL } = await testDatabase();
  const dir = tempDir();
  const served = await serve({ LAUREL_DATA_DIR: dir, DATABASE_URL, LAUREL_DEMO: "off" });
  const keysOf = (kind: string) => headersIn(`${dir}/credentials/${kind}.headers`);
  const app = keysOf("app");
  // The client's own types know less than the interface does.
  const client: any = sdk.VoucherifyServerSide({
    apiUrl: served.url,
    applicationId: app["X-App-Id"]!,
    secretKey: app["X-App-Token"]!,
  });

  /** The same as a page has it. */
  const pageOf = (origin: string, trackingId?: string): any => {
    const keys = keysOf("client");
    return sdk.VoucherifyClientSide({
      apiUrl: served.url,
      clientApplicationId: keys["X-Client-Application-Id"]!,
      clientSecretKey: keys["X-Client-Token"]!,
      origin,
      ...(trackingId && { trackingId }),
    });
  };

  /** What the client has no words for: settings of the project. */
  const manage = async (method: "POST" | "PUT", path: string, body: object): Promise<any> => {
    const headers = { ...keysOf("management"), "content-type": "application/json" };
    const projects = `${served.url}/management/v1/projects`;
    const [project] = ((await (await fetch(projects, { headers })).json()) as any).data;
    const reply = await fetch(`${projects}/${project.id}${path}`, { method, headers, body: JSON.stringify(body) });
    const text = await reply.text();
    assert.equal(reply.status, 200, text);
    return JSON.parse(text);
  };
  return { served, client, pageOf, manage, appHeaders: () => keysOf("app") };
}

/** What the client throws when the server refuses. */
export const refused =
  (code: number, key: string) =>
  (error: any): boolean => {
    assert.deepEqual([error.code, error.key], [code, key], error.message);
    return /^v-/.test(error.request_id);
  };
