import { requireMetadata } from "../../catalog/metadata.ts";
import { ApiError, invalid } from "../../core/errors.ts";
import { PLAIN_WALLET, parseWallet, type Wallet, walletFault } from "../../core/loyalty/card/wallet.ts";
import type { LoyaltyMove } from "../../core/loyalty/program/status.ts";
import type { WriteCtx } from "../../ctx.ts";
import type {
  LoyaltyCardDefinition,
  LoyaltyCardDefinitionCreate,
  LoyaltyCardDefinitionUpdate,
} from "../../resources/loyalty-v2/card-definitions/schema.ts";
import { cardDefinitions, viewCardDefinition } from "../../resources/loyalty-v2/card-definitions/store.ts";
import { lockConfiguration } from "../../steps/programs/lock-configuration.ts";
import { firstUse, requireKnown, usesOfCardDefinition } from "../../steps/programs/loyalty-uses.ts";
import { componentSaver } from "../../steps/programs/save-component.ts";

type Metadata = Record<string, unknown>;
/** What may change whatever uses it: it says nothing of the points that cards hold. */
const ALWAYS = ["name", "metadata", "pay_with_points"];

const saver = componentSaver({
  resource: "card_definition",
  store: cardDefinitions,
  view: viewCardDefinition,
  heldIn: (catalog) => catalog.card_definitions,
});

export async function createCardDefinition(
  c: WriteCtx,
  { name, type, status, metadata: sent, ...sections }: LoyaltyCardDefinitionCreate,
): Promise<LoyaltyCardDefinition> {
  const wallet = { ...PLAIN_WALLET, ...parseWallet(sections) };
  requireWallet(wallet);
  const metadata: Metadata = sent ?? {};
  requireMetadata(await lockConfiguration(c), "vl_card_definition", { metadata, on: "create" });
  return saver.insert(c, {
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
}

export async function updateCardDefinition(
  c: WriteCtx,
  id: string,
  sent: LoyaltyCardDefinitionUpdate,
): Promise<LoyaltyCardDefinition> {
  const { name, metadata: given, ...sections } = sent;
  const catalog = await lockConfiguration(c);
  const before = requireKnown(catalog.card_definitions, "card_definition", id);
  const changed = parseWallet(sections);
  const fixed = Object.keys(sent).find((key) => !ALWAYS.includes(key));
  if (before.status !== "DRAFT" && fixed !== undefined) {
    const use = firstUse(usesOfCardDefinition(catalog, id), () => true);
    if (use) throw locked(id, `Property .${fixed} cannot be changed while ${use.type} ${use.ids.join(", ")} uses it`);
    throw invalid(
      `Property .${fixed} cannot be changed: only ${ALWAYS.join(", ")} can when card definition status is not DRAFT`,
    );
  }
  requireWallet({ ...before, ...changed });
  const metadata: Metadata | undefined = given === null ? {} : given;
  if (metadata) requireMetadata(catalog, "vl_card_definition", { metadata, on: "create" });
  return saver.update(c, id, { name, ...changed, metadata });
}

export const moveCardDefinition = (
  c: WriteCtx,
  id: string,
  move: Extract<LoyaltyMove, "activate" | "draft">,
): Promise<LoyaltyCardDefinition> =>
  saver.move(c, { id, move }, (catalog) => {
    if (move !== "draft") return;
    const uses = usesOfCardDefinition(catalog, id);
    const use =
      firstUse(new Map([["program", uses.get("program")!]]), () => true) ??
      firstUse(uses, (one) => one.status !== "DRAFT");
    if (use) throw locked(id, `It cannot be a draft while ${use.type} ${use.ids.join(", ")} uses it`);
  });

export const removeCardDefinition = (c: WriteCtx, id: string): Promise<LoyaltyCardDefinition> =>
  saver.remove(c, id, (catalog) => firstUse(usesOfCardDefinition(catalog, id), () => true));

function requireWallet(wallet: Wallet): void {
  const details = walletFault(wallet);
  if (details !== null) throw invalid(details);
}

const locked = (id: string, details: string): ApiError =>
  new ApiError("resource_locked", { details, resource_id: id, resource_type: "card_definition" });
