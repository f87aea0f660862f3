import { requireMetadata } from "../../catalog/metadata.ts";
import { ApiError } from "../../core/errors.ts";
import { PLAIN_WALLET, readWallet, type Wallet, walletFault } from "../../core/loyalty/card/wallet.ts";
import { refuse } from "../../core/loyalty/program/period.ts";
import { inUse, type LoyaltyMove, MOVED, statusAfter } from "../../core/loyalty/program/status.ts";
import type { WriteCtx } from "../../ctx.ts";
import { type EventKind, record } from "../../events/events.ts";
import type {
  LoyaltyCardDefinitionCreate,
  LoyaltyCardDefinitionUpdate,
} from "../../resources/loyalty-v2/card-definitions/schema.ts";
import {
  type CardDefinitionRow,
  cardDefinitions,
  viewCardDefinition,
} from "../../resources/loyalty-v2/card-definitions/store.ts";
import { lockConfiguration } from "../../steps/programs/lock-configuration.ts";
import { firstUse, requireKnown, usesOfCardDefinition } from "../../steps/programs/loyalty-uses.ts";

type Metadata = Record<string, unknown>;
/** What may change whatever uses it: it says nothing of the points that cards hold. */
const ALWAYS = ["name", "metadata", "pay_with_points"];

export async function createCardDefinition(
  c: WriteCtx,
  { name, type, status, metadata: sent, ...sections }: LoyaltyCardDefinitionCreate,
): Promise<CardDefinitionRow> {
  const wallet = { ...PLAIN_WALLET, ...readWallet(sections) };
  requireWallet(wallet);
  const metadata: Metadata = sent ?? {};
  requireMetadata(await lockConfiguration(c), "vl_card_definition", { metadata, on: "create" });
  const made = await cardDefinitions.insert(c.db, {
    project_id: c.project.id,
    id: c.newId("lcdef"),
    name,
    type,
    status: status ?? "DRAFT",
    ...wallet,
    metadata,
    created_at: c.now,
    updated_at: null,
  });
  return told(c, "vl.card_definition.created", made);
}

export async function updateCardDefinition(
  c: WriteCtx,
  id: string,
  sent: LoyaltyCardDefinitionUpdate,
): Promise<CardDefinitionRow> {
  const { name, metadata: given, ...sections } = sent;
  const catalog = await lockConfiguration(c);
  const before = requireKnown(catalog.card_definitions, "card_definition", id);
  const changed = readWallet(sections);
  const fixed = Object.keys(sent).find((key) => !ALWAYS.includes(key));
  if (before.status !== "DRAFT" && fixed !== undefined) {
    const use = firstUse(usesOfCardDefinition(catalog, id), () => true);
    if (use) throw locked(id, `Property .${fixed} cannot be changed while ${use.type} ${use.ids.join(", ")} uses it`);
    throw refuse(
      `Property .${fixed} cannot be changed: only ${ALWAYS.join(", ")} can when card definition status is not DRAFT`,
    );
  }
  requireWallet({ ...before, ...changed });
  const metadata: Metadata | undefined = given === null ? {} : given;
  if (metadata) requireMetadata(catalog, "vl_card_definition", { metadata, on: "create" });
  const patch = { name, ...changed, metadata, updated_at: c.now };
  return told(c, "vl.card_definition.updated", await cardDefinitions.update(c.db, c.project.id, id, patch));
}

export async function moveCardDefinition(
  c: WriteCtx,
  id: string,
  move: Extract<LoyaltyMove, "activate" | "draft">,
): Promise<CardDefinitionRow> {
  const catalog = await lockConfiguration(c);
  const before = requireKnown(catalog.card_definitions, "card_definition", id);
  const status = statusAfter("card_definition", move, before);
  if (move === "draft") {
    const uses = usesOfCardDefinition(catalog, id);
    const use =
      firstUse(new Map([["program", uses.get("program")!]]), () => true) ??
      firstUse(uses, (one) => one.status !== "DRAFT");
    if (use) throw locked(id, `It cannot be a draft while ${use.type} ${use.ids.join(", ")} uses it`);
  }
  const saved = await cardDefinitions.update(c.db, c.project.id, id, { status, updated_at: c.now });
  return told(c, `vl.card_definition.${MOVED[move]}`, saved);
}

export async function removeCardDefinition(c: WriteCtx, id: string): Promise<CardDefinitionRow> {
  const catalog = await lockConfiguration(c);
  requireKnown(catalog.card_definitions, "card_definition", id);
  const use = firstUse(usesOfCardDefinition(catalog, id), () => true);
  if (use) throw inUse("card_definition", id, use);
  const gone = await cardDefinitions.update(c.db, c.project.id, id, { status: "DELETED", updated_at: c.now });
  return told(c, "vl.card_definition.deleted", gone);
}

function requireWallet(wallet: Wallet): void {
  const details = walletFault(wallet);
  if (details !== null) throw refuse(details);
}

const locked = (id: string, details: string): ApiError =>
  new ApiError("resource_locked", { details, resource_id: id, resource_type: "card_definition" });

async function told(c: WriteCtx, kind: EventKind, row: CardDefinitionRow): Promise<CardDefinitionRow> {
  c.changed("card_definition", row.id);
  await record(c, [{ kind, subject_id: row.id, payload: { card_definition: viewCardDefinition(row) } }]);
  return row;
}
