import type { Steps } from "./core/steps.ts";

/** What every request learns of its project, read for each request and never kept. */
export type Project = {
  id: string;
  timezone: string;
  currency: string;
  is_sandbox: boolean;
  case_sensitive_codes: boolean;
  client_trusted_domains: string[];
  client_redeem_enabled: boolean;
  client_publish_enabled: boolean;
  client_list_vouchers_enabled: boolean;
  client_create_customer_enabled: boolean;
  client_loyalty_events_enabled: boolean;
  client_set_voucher_expiration_date_enabled: boolean;
  features: string[];
  secret: string;
  catalog_revision: number;
  /** How far its time is ahead of the server's. */
  clock_offset_ms: number;
};

/** The closed list of id prefixes, each with its noun. */
export const PREFIXES = {
  aa: "async action",
  asgm: "assignment of a validation rule",
  aud: "entry of the audit log",
  brd: "branding",
  camp: "campaign",
  camp_tpl: "campaign template",
  cat: "category",
  cust: "customer",
  del: "permanent deletion",
  ern: "earning rule of a campaign",
  ev: "event",
  exp: "export",
  file: "file",
  lben: "benefit",
  lbtx: "benefit that was given",
  lcdef: "card definition",
  lcpeb: "bucket of points that expire",
  lcppb: "bucket of points that wait",
  lcrd: "loyalty card",
  lctx: "transaction of a loyalty card",
  leout: "what an earning rule decided",
  lern: "earning rule",
  lernei: "earning of an earning rule",
  lmbr: "member of a loyalty program",
  loc: "location",
  lopb: "lot of credits or points",
  lotx: "payment of an order with points",
  lprg: "loyalty program",
  lrcst: "cost of a reward",
  lrew: "reward",
  lrspn: "spending of a cost",
  lrtx: "purchase of a reward, or its refund",
  lt: "tier",
  ltr: "tier of a campaign",
  lts: "tier structure",
  lttx: "transaction of a tier",
  ms: "metadata schema or custom event schema",
  ord: "order",
  ordli: "order line",
  ordpay: "payment of an order",
  pc: "product collection",
  prod: "product",
  qual: "answer of an older qualification",
  proj: "project",
  promo: "promotion tier",
  pub: "publication",
  r: "redemption",
  rf: "failed redemption",
  rfsl: "refusal",
  reft: "tier of referrers",
  rew: "reward of loyalty cards",
  rewa: "assignment of a reward",
  rewr: "redemption of a reward",
  rh: "holder of a redeemable",
  role: "custom role of users",
  rr: "rollback",
  rrf: "failed rollback",
  seg: "segment",
  sku: "SKU",
  stack: "promotion stack",
  stk: "stacking rules",
  tbe: "entry of the bin",
  tok: "access token",
  ucust: "unconfirmed customer",
  user: "user",
  v: "voucher",
  val: "validation rule",
  valid: "validation",
  vtx: "entry of the ledger",
  wh: "webhook",
} as const;
export type NewId = (prefix: keyof typeof PREFIXES) => string;
/** 256 random bits as 64 hex digits. */
export type NewSecret = () => string;

/**
 * What a user is sent who chooses a password: because they have none yet, or because they forgot it. The token is a secret: it is
 * in the link, and nowhere else.
 */
export type Invitation = {
  /** They have a password, and somebody asked for another one. */
  isReset?: true;
  email: string;
  first_name: string;
  last_name: string;
  token: string;
  expires_at: string;
};

/** Every kind of object that is held in the catalog snapshot of a project. */
export type CatalogKind =
  | "benefit"
  | "campaign"
  | "campaign_earning_rule"
  | "campaign_reward"
  | "campaign_tier"
  | "card_definition"
  | "category"
  | "custom_event_schema"
  | "earning_rule"
  | "metadata_schema"
  | "product_collection"
  | "program"
  | "program_assignment"
  | "promotion_stack"
  | "promotion_tier"
  | "reward"
  | "reward_assignment"
  | "segment"
  | "stacking_rules"
  | "tier"
  | "tier_structure"
  | "validation_rule"
  | "validation_rule_assignment"
  | "webhook";

/** What is configured and no decision reads: of a project, and of the whole installation. */
export type InstallationKind = "key" | "project" | "role" | "user";
export type KindBesideCatalog = "branding" | "campaign_template" | "webhook_secret" | InstallationKind;
/** Every kind of object that the audit log keeps versions of. */
export type ConfigKind = CatalogKind | KindBesideCatalog;

/** The request or the job that something follows from. It makes the ids: a batch gives the same as one after the other. */
export type Origin = {
  now: string;
  newId: NewId;
  newSecret: NewSecret;
  request_id: string;
  /** Counts what a request costs; a job may take as long as it needs. */
  steps?: Steps | undefined;
};

/** What the caller is shown of an answer: all of it, or what a client application sees. A flow applies it before it writes. */
export type ForCaller = <Shown extends object>(shown: Shown) => Partial<Shown>;
