import type { Catalog } from "./catalog/catalog.ts";
import type { OpenSession } from "./core/answer.ts";
import type { Steps } from "./core/steps.ts";
import type { ProviderIdentity } from "./core/users/single-sign-on.ts";
import type { Submit } from "./db/batches/batch.ts";
import type { Pool, Tx } from "./db/db.ts";
import type { SecretBox } from "./db/secrets/secret-box.ts";
import type { Claim } from "./idempotency/claim.ts";
import type { ConfigKind, ForCaller, Invitation, NewId, NewSecret, Project } from "./request.ts";

export type Caller = {
  kind: "app" | "client" | "management" | "session" | "none";
  /** The id of the key pair, also when a token of it was sent; of a session that of its user. */
  key_id: string;
  /** What those who made the key call it; of a session the login of its user. */
  key_name?: string;
  /** What the user of a session may do in the project. */
  permissions?: readonly string[];
  /** Of a session: its row, and the token that its browser sends against forged requests. */
  session?: { hash: string; csrf_token: string; created_at: string; expires_at: string };
  /** Of the token that was sent; undefined: a key pair was, which has none. */
  scopes?: readonly string[];
};

/** How people sign in with another provider, and who may come that way without an invitation. */
export type SingleSignOn = {
  /** What the button says. */
  name: string;
  domains: readonly string[];
  /** What somebody gets who comes with an address of these domains; `all`: in every project. */
  role: string;
  projects: readonly string[] | "all";
  /** Where the browser goes whose cookie has the token. Throws when the provider does not answer. */
  urlFor(token: string): Promise<string>;
  /** Who came back to that browser. `query` is what the provider put into the address. */
  identityOf(token: string, query: string): Promise<ProviderIdentity>;
};

/** What every route is given. Time and ids come from here and nowhere else, so a test can fix both. */
export type Ctx<D = Pool> = {
  db: D;
  project: Project;
  /** What the project has configured, at the revision that came with the credentials or at a later one that is known. */
  catalog(revision?: number): Promise<Catalog>;
  caller: Caller;
  request_id: string;
  /** The time of the project (`core/time/project-time.ts`); of management operations that of the server. */
  now: string;
  newId: NewId;
  newSecret: NewSecret;
  /** Encrypts secrets that are stored and have to be read again. */
  secretBox: SecretBox;
  /** Counts what the request costs, and refuses one that costs too much. */
  steps: Steps;
  /** What the addresses of files begin with: how the world calls this server. Empty: they are relative. */
  publicUrl: string;
  /** What an SDK calls itself: the channel of what it redeems and publishes. */
  channel?: string;
  /** Whether there is a mail server. Only operations for strangers are given it. */
  sendsMail?: boolean;
  /** Without it people sign in with passwords only. */
  singleSignOn?: SingleSignOn | undefined;
  /** Of a browser that was sent to the provider: the token in its cookie. Only operations for strangers are given it. */
  signOnToken?: string | null;
};

/** What a route that writes is given on top: its transaction, and a note for the catalog. */
export type WriteCtx = Ctx<Tx> & {
  /**
   * Says that a configured object changed, in this project unless another one is named. At the end of the transaction its
   * version is logged, and the revision is raised where the catalog holds it.
   */
  changed(kind: ConfigKind, id: string, projectId?: string): void;
  /** Sends an invitation once the transaction is committed: nobody is invited by a write that was undone. */
  sendInvitation(invitation: Invitation): void;
  /** The session that the browser of the caller has from now on, once the transaction is committed; null: none any more. */
  setSession(session: OpenSession | null): void;
  /** The same of the cookie for a sign-in at the provider. */
  setSignOn(signOn: OpenSession | null): void;
};

/** What a hot route is given: no database handle, only the lanes. */
export type HotCtx = Omit<Ctx, "db"> & { submit: Submit; claim: Claim | null; forCaller: ForCaller };

/** What every command for the lanes begins with. A flow that counts its steps takes the counter of the request beside it. */
export type CommandHead = Pick<Ctx, "project" | "now" | "request_id" | "newId" | "newSecret"> & {
  catalog: Catalog;
  api_key_id: string;
  caller?: Caller;
  channel?: string | undefined;
  claim: Claim | null;
  forCaller: ForCaller;
};

export async function commandOf(
  c: Omit<Ctx, "db"> & { claim?: Claim | null; forCaller?: ForCaller },
): Promise<CommandHead> {
  const { project, now, request_id, newId, newSecret, caller, claim = null, forCaller = (shown) => shown } = c;
  // What a user does by hand is told apart from what the shop does.
  const channel = c.channel ?? (caller.kind === "session" ? "USER" : undefined);
  const catalog = await c.catalog();
  const head = { project, catalog, now, request_id, newId, newSecret, caller, api_key_id: caller.key_id };
  return { ...head, channel, claim, forCaller };
}
