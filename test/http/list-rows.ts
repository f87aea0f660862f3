import type { Pool } from "../../src/db/db.ts";

type Values = Record<string, any>;
type Ids = Record<string, string>;

/** How many copies of a row there are beside it. */
export const COPIES = 5;
/** Almost as much metadata as one object may have. */
const metadata = { note: "x".repeat(32_000) };
/** Of what is shown as a part of something: all of them must fit in one row. */
const less = { note: "x".repeat(20_000) };
const numbers = Array.from({ length: COPIES }, (_, n) => n + 1);
const copyOf = (id: string, n: number) => `${id}${n}`;

/** Adds rows to every list of a project: copies of the one row that there is, with as much metadata as they may have. */
export async function fillLists(db: Pool, project_id: string, made: Ids): Promise<void> {
  const find = async (table: string, where: Values): Promise<Values> => {
    const [row] = await db`
      select to_jsonb(t) as row from ${db(table)} t where to_jsonb(t) @> ${db.json({ project_id, ...where })} limit 1`;
    if (!row) throw new Error(`no row of ${table} with ${JSON.stringify(where)}`);
    return row.row;
  };
  const insert = async (table: string, rows: Values[]) => {
    await db`
      insert into ${db(table)} select r.* from jsonb_populate_recordset(null::${db(table)}, ${db.json(rows)}) r`;
  };
  const copy = async (table: string, where: Values, change: (n: number, row: Values) => Values = () => ({})) => {
    const row = await find(table, where);
    const fat = row.metadata === undefined ? {} : { metadata };
    const own = (n: number) => (row.id === undefined ? {} : { id: copyOf(row.id, n) });
    await insert(
      table,
      numbers.map((n) => ({ ...row, ...fat, ...own(n), ...change(n, row) })),
    );
  };
  const named = (n: number, { name }: Values) => ({ name: `${name} ${n}` });
  const sourced = (n: number, { source_id }: Values) => ({ source_id: `${source_id} ${n}` });
  const coded = (n: number, { code, code_folded, settings }: Values) => ({
    code: copyOf(code, n),
    code_folded: copyOf(code_folded, n),
    settings: { ...settings, metadata },
  });

  const logged = { kind: "role", object_id: "role_1", action: "UPDATED", actor_type: "cli", actor_id: "cli" };
  for (const n of numbers) {
    const row = { ...logged, project_id: "", id: `aud_${n}`, number: n, operation: "x", created_at: "2026-01-01" };
    await db`insert into audit_log ${db(row)}`;
  }
  await copy("refusals", { id: made.refusalId });
  await copy("request_log", { id: made.requestId });
  const [request] = await db`select * from request_log where id = ${made.requestId!}`;
  for (const n of numbers)
    await db`insert into request_log ${db({ ...request, project_id: "", id: `v-${n}` } as never)}`;
  const [user] = await db`select * from users where id = ${made.userId!}`;
  for (const n of numbers) {
    const id = copyOf(made.userId!, n);
    const login = `${n}.${user!.login}`;
    await db`insert into users ${db({ ...user, id, login, invitation_hash: id } as never)}`;
    await db`insert into user_projects ${db({ user_id: id, project_id, role: "USER" })}`;
  }
  await copy("categories", { id: made.categoryId }, named);
  await copy("exports", { id: made.exportId });
  await copy("customers", { id: made.customerId }, sourced);
  await copy("products", { id: made.productId }, sourced);
  await copy("skus", { id: made.skuId }, (n, row) => ({ ...sourced(n, row), metadata: less }));
  await copy("product_collections", { id: made.productCollectionId });
  const products = [made.productId!, ...numbers.map((n) => copyOf(made.productId!, n))];
  await db`
    update product_collections set products = ${db.json(products.map((id) => ({ id, object: "product" })))}
    where project_id = ${project_id} and id = ${made.productCollectionId!}`;
  await copy("locations", { id: made.locationId }, (n, { created_at }) => ({
    created_at: new Date(Date.parse(created_at) + n).toISOString(),
  }));
  await copy("orders", { id: made.orderId }, sourced);
  await copy("segments", { id: made.segmentId }, named);
  await insert(
    "segment_members",
    numbers.map((n) => ({
      ...{ project_id, segment_id: copyOf(made.segmentId!, n), customer_id: made.customerId },
      entered_at: "2026-01-01T00:00:00Z",
    })),
  );
  await copy("custom_event_schemas", { id: made.customEventSchemaId }, named);
  await copy("webhooks", { id: made.webhookId });
  await copy("webhook_deliveries", { id: made.deliveryId }, (n, row) => ({ number: row.number + n }));
  await insert(
    "webhook_attempts",
    numbers.map((number) => ({
      ...{ project_id, delivery_id: made.deliveryId, webhook_id: made.webhookId, number, latency_ms: number },
      ...{ target_url: "https://shop.example", headers: {}, status_code: 500, error: null, answer: "broken" },
      created_at: "2026-01-01T00:00:00Z",
    })),
  );
  const related = ["campaign", "order", "product", "redemption", "loyalty_tier"];
  await copy("metadata_schemas", { id: made.metadataSchemaId }, (n) => ({ related_object: related[n - 1] }));
  await copy("validation_rules", { id: made.validationRuleId }, named);
  await copy("trash_bin_entries", { id: made.binEntryId });
  await copy("async_actions", { id: made.asyncActionId }, (n, { created_at }) => ({
    created_at: new Date(Date.parse(created_at) + n).toISOString(),
    work: { large: metadata.note },
  }));
  await copy("campaign_templates", { id: made.campaignTemplateId }, named);

  await copy("campaigns", { id: made.campaignId }, named);
  for (const table of ["voucher_templates", "campaign_codes"])
    await copy(table, { campaign_id: made.campaignId }, (n, { settings }) => ({
      campaign_id: copyOf(made.campaignId!, n),
      ...(settings && { settings: { ...settings, metadata } }),
    }));
  const related_object_id = (n: number) => ({ related_object_id: copyOf(made.campaignId!, n) });
  await copy("validation_rule_assignments", { id: made.assignmentId }, related_object_id);
  await copy("promotion_tiers", { id: made.promotionTierId }, (n, row) => ({ ...named(n, row), metadata: less }));
  await copy("promotion_stacks", { id: made.stackId }, named);
  await copy("vouchers", { id: made.code }, coded);
  await copy("vouchers", { id: made.cardMemberId }, coded);
  await copy("publications", { result: "SUCCESS" }, () => ({ source_id: null }));
  await copy("redemptions", { id: made.redemptionId });
  await copy("redemption_tallies", { object: "redemption", result: "SUCCESS" }, () => ({ count: 1 }));
  const holder = await find("redeemable_holders", { id: made.holderId });
  await copy("redeemable_holders", { id: made.holderId }, (n) => ({ customer_id: copyOf(made.customerId!, n) }));
  await insert(
    "redeemable_holders",
    numbers.map((n) => ({
      ...{ ...holder, metadata, id: copyOf(`rh_wallet`, n), campaign_id: null, holder_role: "OWNER" },
      ...{ customer_id: made.customerId, voucher_id: copyOf(made.code!, n) },
    })),
  );

  await copy("campaign_earning_rules", { id: made.campaignEarningRuleId });
  await copy("campaign_tiers", { id: made.loyaltyTierId }, (n) => ({ points_from: 1000 * n }));
  await copy("rewards", { id: made.campaignRewardId }, named);
  await copy("reward_assignments", { id: made.rewardAssignmentId }, (n, { id }) => ({
    ...{ id: `${id}r${n}`, reward_id: copyOf(made.campaignRewardId!, n) },
  }));
  await copy("reward_assignments", { id: made.rewardAssignmentId }, (n) => ({
    campaign_id: copyOf(made.campaignId!, n),
  }));

  const v2 = {
    loyalty_card_definitions: made.cardDefinitionId!,
    loyalty_tier_structures: made.tierStructureId!,
    loyalty_tiers: made.tierId!,
    loyalty_earning_rules: made.earningRuleId!,
    loyalty_benefits: made.benefitId!,
    loyalty_rewards: made.rewardId!,
    loyalty_programs: made.programId!,
  };
  for (const [table, id] of Object.entries(v2)) await copy(table, { id }, named);
  const program = { program_id: made.programId! };
  for (const [kind, id] of [
    ["card_definition", made.cardDefinitionId!],
    ["tier_structure", made.tierStructureId!],
    ["earning_rule", made.earningRuleId!],
    ["reward", made.rewardId!],
  ] as const)
    await copy("loyalty_assignments", program, (n) => ({ kind, component_id: copyOf(id, n) }));
  await copy("loyalty_members", { id: made.memberId }, (n) => ({ customer_id: copyOf(made.customerId!, n) }));
  for (const kind of ["reward", "order", "benefit", "tier"])
    await copy("loyalty_transactions", { id: made.rewardTransactionId }, (n, { id, details }) => ({
      ...{ kind, id: `${id}${kind}${n}`, details: { ...details, reason: metadata.note } },
    }));

  const lot = await find("ledger_lots", { bucket_id: made.bucketId });
  const waiting = await find("ledger_lots", { account_id: made.cardMemberId, pot: "pending" });
  const day = (n: number) => ({ bucket_date: `2026-06-0${n}` });
  await insert("ledger_lots", [
    ...numbers.map((n) => ({ ...lot, ...day(n), id: `lopb_a${n}`, bucket_id: `lcpeb_${n}` })),
    ...numbers.map((n) => ({ ...lot, ...day(n), id: `lopb_b${n}`, bucket_id: `lcppb_${n}`, pot: "pending" })),
    ...numbers.map((n) => ({ ...waiting, id: copyOf(waiting.id, n) })),
    ...numbers.map((n) => ({ ...waiting, ...day(n), id: `lopb_c${n}`, pot: "available", activates_at: null })),
  ]);
  const entry = await find("ledger_entries", { redemption_id: made.redemptionId });
  const inCampaign = { account_id: made.cardMemberId, campaign_id: made.campaignId, kind: "addition" };
  const points = await find("ledger_entries", { account_id: made.cardId, pot: "available" });
  await insert("ledger_entries", [
    ...numbers.map((n) => ({ ...entry, id: `vtx_a${n}` })),
    ...numbers.map((n) => ({ ...entry, id: `vtx_b${n}`, ...inCampaign })),
    ...numbers.map((n) => ({ ...points, id: copyOf(points.id, n), reason: metadata.note })),
  ]);
  const event = await find("events", { customer_id: made.customerId });
  const subjects = [...Object.values(v2), made.memberId!, made.cardId!];
  const told = { payload: metadata, kind: "customer.voucher.told" };
  const about = [
    { customer_id: made.customerId },
    { customer_id: null, voucher_id: made.cardMemberId },
    ...subjects.map((subject_id) => ({ customer_id: null, subject_id })),
  ];
  await insert(
    "events",
    about.flatMap((of, m) => numbers.map((n) => ({ ...event, ...told, ...of, id: `ev_told${10 + m}${n}` }))),
  );
}
