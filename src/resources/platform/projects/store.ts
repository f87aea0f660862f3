import { notFound } from "../../../core/errors.ts";
import { normaliseOrigin } from "../../../core/projects/origin.ts";
import {
  API_VERSION,
  type CalloutNotifications,
  CLUSTER_ID,
  defaultCallouts,
  defaultCharset,
  defaultUsage,
  FEATURES_OF_NEW_PROJECTS,
  mergeNotifications,
  type UsageNotifications,
  WEBHOOK_VERSION,
} from "../../../core/projects/settings.ts";
import type { Db, Tx } from "../../../db/db.ts";
import type { SecretBox } from "../../../db/secrets/secret-box.ts";
import type { Project, ProjectCreate, ProjectUpdate } from "./schema.ts";

export type ProjectRow = Omit<Project, "limits" | "webhooks_callout_notifications" | "api_usage_notifications"> & {
  webhooks_callout_notifications: CalloutNotifications;
  api_usage_notifications: UsageNotifications;
  limits: NonNullable<Project["limits"]> | null;
  secret: string;
  features: string[];
  clock_offset_ms: number;
  created_at: string;
  updated_at: string | null;
  deleted_at: string | null;
};
type ProjectIdentity = { id: string; secret: string; webhook_token: string; is_sandbox: boolean; now: string };

/** Stored in one form, so that they can be compared with what a browser sends. The format was checked. */
const trusted = (domains: readonly string[]) => [
  ...new Set(domains.map((domain) => (domain === "*" ? "*" : normaliseOrigin(domain)!))),
];

/** What a new project holds. */
export function newProject(
  given: ProjectCreate,
  { id, secret, webhook_token, is_sandbox, now }: ProjectIdentity,
): ProjectRow {
  return {
    id,
    name: given.name,
    description: given.description ?? "",
    timezone: given.timezone,
    currency: given.currency,
    dial_code: given.dial_code ?? null,
    webhook_version: given.webhook_version ?? WEBHOOK_VERSION,
    client_trusted_domains: trusted(given.client_trusted_domains ?? []),
    client_redeem_enabled: given.client_redeem_enabled ?? false,
    client_publish_enabled: given.client_publish_enabled ?? false,
    client_list_vouchers_enabled: given.client_list_vouchers_enabled ?? false,
    client_create_customer_enabled: given.client_create_customer_enabled ?? false,
    client_loyalty_events_enabled: given.client_loyalty_events_enabled ?? false,
    client_set_voucher_expiration_date_enabled: given.client_set_voucher_expiration_date_enabled ?? false,
    webhooks_callout_notifications: mergeNotifications(defaultCallouts(), given.webhooks_callout_notifications),
    api_usage_notifications: mergeNotifications(defaultUsage(), given.api_usage_notifications),
    default_code_config: { charset: defaultCharset(given.case_sensitive_codes) },
    limits: null,
    cluster_id: CLUSTER_ID,
    case_sensitive_codes: given.case_sensitive_codes,
    api_version: API_VERSION,
    is_sandbox,
    webhook_token,
    secret,
    features: [...FEATURES_OF_NEW_PROJECTS],
    clock_offset_ms: 0,
    created_at: now,
    updated_at: null,
    deleted_at: null,
  };
}

/** What of a project an update changes. */
export function changesOf(before: ProjectRow, { client_trusted_domains, ...sent }: ProjectUpdate) {
  const { webhooks_callout_notifications, api_usage_notifications, default_code_config, ...plain } = sent;
  const charset = default_code_config?.charset;
  return {
    ...plain,
    ...(client_trusted_domains && { client_trusted_domains: trusted(client_trusted_domains) }),
    webhooks_callout_notifications: mergeNotifications(
      before.webhooks_callout_notifications,
      webhooks_callout_notifications,
    ),
    api_usage_notifications: mergeNotifications(before.api_usage_notifications, api_usage_notifications),
    ...(charset !== undefined && {
      default_code_config: { charset: charset ?? defaultCharset(before.case_sensitive_codes) },
    }),
  };
}

export async function insertProject(tx: Tx, row: ProjectRow): Promise<ProjectRow> {
  const [saved] = await tx<ProjectRow[]>`insert into projects ${tx(row as never)} returning *`;
  await tx`insert into tenants (project_id) values (${row.id})`;
  return saved!;
}

export const listProjects = (db: Db) =>
  db<ProjectRow[]>`select * from projects where deleted_at is null order by created_at, id`;

export async function getProject(db: Db, id: string): Promise<ProjectRow> {
  const [row] = await db<ProjectRow[]>`select * from projects where id = ${id} and deleted_at is null`;
  if (!row) throw notFound("project", id);
  return row;
}

/** The first of these ids that no project has. */
export async function missingProject(db: Db, ids: readonly string[]): Promise<string | undefined> {
  const rows = await db<{ id: string }[]>`select id from projects where id = any(${ids}) and deleted_at is null`;
  const known = new Set(rows.map(({ id }) => id));
  return ids.find((id) => !known.has(id));
}

/** Locks the project, so that settings which two updates send are merged one after the other. */
export async function lockProject(tx: Tx, id: string): Promise<ProjectRow> {
  const [row] = await tx<ProjectRow[]>`
    select * from projects where id = ${id} and deleted_at is null order by id for no key update`;
  if (!row) throw notFound("project", id);
  return row;
}

export async function updateProject(tx: Tx, id: string, patch: Partial<ProjectRow>): Promise<ProjectRow> {
  const [saved] = await tx<ProjectRow[]>`update projects set ${tx(patch as never)} where id = ${id} returning *`;
  return saved!;
}

/** The secret that webhooks are signed with, which is stored encrypted. */
export const webhookTokenOf = ({ id, webhook_token }: Pick<ProjectRow, "id" | "webhook_token">, secretBox: SecretBox) =>
  secretBox.open(["projects", id], webhook_token);

export function view(row: ProjectRow, secretBox: SecretBox): Project {
  const { secret: _, features: __, clock_offset_ms: ___, ...more } = row;
  const { created_at, updated_at, deleted_at, limits, ...rest } = more;
  const shown = { ...rest, webhook_token: webhookTokenOf(row, secretBox) };
  return limits === null ? shown : { ...shown, limits };
}

/** The characters that codes are made of where nothing else is said. */
export async function defaultCharsetOf(db: Db, id: string): Promise<string> {
  const [row] = await db<{ charset: string }[]>`
    select default_code_config->>'charset' as charset from projects where id = ${id}`;
  return row!.charset;
}
