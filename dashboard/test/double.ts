import { randomBytes } from "node:crypto";
import http from "node:http";

// Stands in for the session operations: sessions in memory, and the key of a project added to what it passes on.
// The server behind it is a real one.

const PATH = "/management/v1/session";
type Reply = { status: number; body?: unknown; headers?: Record<string, string> };
export type Person = { email: string; password: string; code?: string; role: string; operations?: readonly string[] };
type Options = {
  target: string;
  keys: Record<string, string>;
  project: { id: string; name: string; currency: string; timezone: string };
  operations: readonly string[];
  people: readonly Person[];
};

async function bodyOf(request: http.IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

const refusal = (status: number, key: string): Reply => ({
  status,
  body: { code: status, key, message: key, details: key, request_id: "v-double" },
});

const LIST = /^\/v1\/campaigns(?:\?|$)/;
type Campaign = { id: string; active?: boolean };

/** Counters of campaigns, from their place in the list: always the same. */
function withCounters({ campaigns, ...rest }: { campaigns: Campaign[] }) {
  const counted = campaigns.map((campaign, place) => {
    const redemptions_by_day = Array.from({ length: 30 }, (_, day) => (place * 7 + day * day) % 13);
    const redemptions = redemptions_by_day.reduce((all, one) => all + one, 0);
    const budget = place % 3 === 0 ? 500_000 : null;
    const counters = {
      ...{ redemptions, redemptions_by_day, discount: redemptions * 1_234, budget, budget_used: budget && 410_000 },
      ...{ codes: place % 2 === 0 ? 100 : 0, codes_used: 14 },
    };
    return { ...campaign, status: campaign.active === false ? "DISABLED" : "ACTIVE", counters };
  });
  return { ...rest, campaigns: counted };
}

/** Starts it on a free port. What tests change in `faults` is answered in place of the server. */
export async function startDouble({ target, keys, project, operations, people }: Options) {
  const sessions = new Map<string, { csrf: string; person: Person }>();
  const faults = new Map<RegExp, Reply | "hang up">();

  const sessionOf = (request: http.IncomingMessage) => {
    const [, id = ""] = /laurel_session=(\w+)/.exec(request.headers.cookie ?? "") ?? [];
    const found = sessions.get(id);
    return found && { id, ...found };
  };
  const shown = ({ csrf, person }: { csrf: string; person: Person }) => ({
    object: "session",
    csrf_token: csrf,
    created_at: "2027-03-14T08:00:00.000Z",
    expires_at: "2027-03-21T08:00:00.000Z",
    user: {
      id: "user_1",
      login: person.email,
      first_name: "Ann",
      last_name: "Hansen",
      is_owner: person.role === "ADMIN",
    },
    projects: [{ ...project, is_sandbox: true, role: person.role, operations: person.operations ?? operations }],
    operations: [],
  });

  function signIn(sent: { email: string; password: string; code?: string }): Reply {
    const person = people.find(({ email, password }) => email === sent.email && password === sent.password);
    if (!person) return refusal(401, "unauthorized");
    if (person.code !== undefined && sent.code === undefined) return refusal(401, "second_factor_required");
    if (person.code !== undefined && sent.code !== person.code) return refusal(401, "unauthorized");
    const [id, csrf] = [randomBytes(16).toString("hex"), randomBytes(16).toString("hex")];
    sessions.set(id, { csrf, person });
    const cookie = `laurel_session=${id}; HttpOnly; SameSite=Strict; Path=/`;
    return { status: 200, body: shown({ csrf, person }), headers: { "Set-Cookie": cookie } };
  }

  function session(request: http.IncomingMessage, body: Buffer): Reply {
    if (request.method === "POST") return signIn(JSON.parse(body.toString()));
    const open = sessionOf(request);
    if (!open) return refusal(401, "session_expired");
    if (request.method === "GET") return { status: 200, body: shown(open) };
    sessions.delete(open.id);
    return { status: 204 };
  }

  async function pass(request: http.IncomingMessage, body: Buffer): Promise<Reply | Response> {
    const url = request.url ?? "/";
    const isApi = /^\/v\d/.test(url);
    const open = sessionOf(request);
    if (isApi && !open) return refusal(401, "session_expired");
    if (isApi && request.method !== "GET" && request.headers["x-laurel-csrf"] !== open!.csrf)
      return refusal(403, "csrf_token_missing");
    if (isApi && request.headers["x-laurel-project"] !== project.id) return refusal(404, "not_found");
    const { host: _, connection: __, cookie: ___, ...headers } = request.headers;
    // The counters of campaigns are not part of the interface yet.
    const asked = LIST.test(url)
      ? url.replace(/[?&](?:expand|status|name)=[^&]*/g, "").replace(/^([^?]*?)&/, "$1?")
      : url;
    const reply = await fetch(target + asked, {
      method: request.method!,
      headers: { ...(headers as Record<string, string>), ...(isApi ? keys : {}), "accept-encoding": "identity" },
      ...(body.length > 0 && { body: new Uint8Array(body) }),
    });
    if (!LIST.test(url) || request.method !== "GET" || !reply.ok) return reply;
    return { status: 200, body: withCounters((await reply.json()) as { campaigns: Campaign[] }) };
  }

  const server = http.createServer(async (request, response) => {
    const body = await bodyOf(request);
    const path = request.url ?? "/";
    const fault = [...faults].find(([pattern]) => pattern.test(path))?.[1];
    if (fault === "hang up") return void request.socket.destroy();
    const isSession = path.split("?")[0] === PATH;
    const reply = fault ?? (isSession ? session(request, body) : await pass(request, body).catch(() => null));
    if (reply === null) return void request.socket.destroy();
    if (reply instanceof Response) {
      response.writeHead(reply.status, Object.fromEntries(reply.headers));
      return void response.end(Buffer.from(await reply.arrayBuffer()));
    }
    response.writeHead(reply.status, { "Content-Type": "application/json", ...reply.headers });
    return void response.end(reply.body === undefined ? "" : JSON.stringify(reply.body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    faults,
    endSessions: () => sessions.clear(),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
