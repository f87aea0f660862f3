import http from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";
import { createSingleSignOn, type OidcSettings } from "../../src/http/users/oidc.ts";
import type { Call, Reply } from "./engine.ts";
import { NO_KEYS } from "./sign-in.ts";

/** Somebody who has an account at the provider. */
export type Account = {
  sub: string;
  email?: string;
  email_verified?: boolean;
  given_name?: string;
  family_name?: string;
};

const CLIENT = { client_id: "laurel", client_secret: "of the provider" };

/**
 * A real provider of OpenID Connect, in this process. Whoever comes is signed in as `signedInAs`, without a question: `null` means
 * that they press "cancel". `answers: false` makes it a server that takes requests and says nothing.
 */
export async function startProvider(redirectUris: readonly string[]) {
  const state: { signedInAs: Account | null; answers: boolean } = { signedInAs: null, answers: true };
  const accounts = new Map<string, Account>();
  const server = http.createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [{ ...CLIENT, redirect_uris: [...redirectUris] }],
    cookies: { keys: ["of the provider"] },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["given_name", "family_name"] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, sub) => ({ accountId: sub, claims: async () => ({ ...accounts.get(sub)! }) }),
    // Nobody is asked what this client may know.
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({ clientId: oidc.client!.clientId, accountId: oidc.session!.accountId! });
      grant.addOIDCScope("openid email profile");
      await grant.save();
      return grant;
    },
  });
  const answer = provider.callback();
  server.on("request", async (request, response) => {
    if (!state.answers) return;
    if (!request.url!.startsWith("/interaction/")) return answer(request, response);
    const { signedInAs } = state;
    if (signedInAs) accounts.set(signedInAs.sub, signedInAs);
    const result = signedInAs ? { login: { accountId: signedInAs.sub, remember: false } } : { error: "access_denied" };
    await provider.interactionFinished(request, response, result);
  });
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  const settings = (redirectUri: string): OidcSettings => ({
    ...{ issuer, clientId: CLIENT.client_id, clientSecret: CLIENT.client_secret, redirectUri },
    ...{ name: "The Office", domains: [], role: "VIEWER", projects: "all", log: { warn: () => {} } },
  });
  return { issuer, state, settings, close };
}
export type TestProvider = Awaited<ReturnType<typeof startProvider>>;

/** Follows a browser through the provider, and gives the address that it is sent back to. */
export async function visit(url: string, redirectUri: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let at = url;
  for (let turns = 0; turns < 10; turns++) {
    if (at.startsWith(redirectUri)) return new URL(at);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const reply = await fetch(at, { redirect: "manual", headers: { cookie } });
    for (const line of reply.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      cookies.set(name!, value!);
    }
    const next = reply.headers.get("location");
    if (next === null) throw new Error(`the provider does not go on: ${reply.status} ${await reply.text()}`);
    at = new URL(next, at).href;
  }
  throw new Error("the provider goes round in circles");
}

const SIGN_ON = "/management/v1/single-sign-on";
/** The cookies of an answer by their names. */
export const cookiesIn = ({ headers }: Pick<Reply, "headers">): Record<string, string> =>
  Object.fromEntries(
    [headers["set-cookie"] ?? []]
      .flat()
      .map((line) => /^([^=]+)=([^;]*)/.exec(String(line))!.slice(1) as [string, string]),
  );

/** A browser without keys: it keeps its cookies. */
export function browserOf(call: Call) {
  const cookies: Record<string, string> = {};
  const send: Call = async (line, body, headers) => {
    const cookie = Object.entries(cookies)
      .map(([name, value]) => `${name}=${value}`)
      .join("; ");
    const reply = await call(line, body, { ...NO_KEYS, cookie, ...headers });
    Object.assign(cookies, cookiesIn(reply));
    return reply;
  };
  return { send, cookies };
}

/** Signs in through the provider: begins here, goes there, and comes back. */
export async function signOn(browser: ReturnType<typeof browserOf>, redirectUri: string, start: object = {}) {
  const started = await browser.send(`POST ${SIGN_ON}/start`, start);
  if (started.status !== 200) return started;
  const { search } = await visit(started.body.url, redirectUri);
  return browser.send(`POST ${SIGN_ON}/finish`, { query: search.slice(1) });
}

/** What tests give to a server so that it signs people in with the provider. */
export const singleSignOnWith = (provider: TestProvider, redirectUri: string, more: Partial<OidcSettings> = {}) =>
  createSingleSignOn({ ...provider.settings(redirectUri), ...more });
