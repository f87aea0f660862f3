import { type Static, Type } from "typebox";
import { MemberCard, MembershipCard } from "../../../core/loyalty/card/schema.ts";
import { idOf } from "../../../core/loyalty/program/shape.ts";
import {
  CheckedLater,
  Choice,
  CursorQuery,
  cursorListOf,
  DateTime,
  Filters,
  Id,
  Metadata,
  Nullable,
  strict,
} from "../../../http/schemas.ts";

const member = {
  id: Type.String(),
  customer_id: Type.String(),
  program_id: Type.String(),
  status: Choice(["ACTIVE", "INACTIVE", "DELETED"]),
  metadata: Metadata,
  created_at: DateTime,
  updated_at: Nullable(DateTime),
  object: Type.Literal("member"),
};
export const Member = Type.Object(member, { title: "LoyaltyMember" });
export type Member = Static<typeof Member>;
export const MemberWithCards = Type.Object(
  { ...member, cards: Type.Array(MemberCard) },
  { title: "LoyaltyMemberWithCards" },
);
export type MemberWithCards = Static<typeof MemberWithCards>;
export const MemberList = cursorListOf(Member);

/** Who is enrolled: by `customer_id`, or as `customer_identification` says. */
export const MemberCreate = strict({
  customer_id: Type.Optional(idOf("cust")),
  customer_identification: Type.Optional(
    strict({
      type: Choice(["customer_id", "customer_source_id"]),
      customer_id: Type.Optional(Nullable(idOf("cust"))),
      customer_source_id: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 500 }))),
    }),
  ),
  status: Type.Optional(Nullable(Choice(["ACTIVE", "INACTIVE"]))),
  metadata: Type.Optional(Nullable(Metadata)),
});
export type MemberCreate = Static<typeof MemberCreate>;
/** Each entry is checked when its turn comes: what is wrong with it stands in the result of the async action. */
export const MemberBatch = CheckedLater<unknown[]>(
  { type: "array", minItems: 1 },
  Type.Array(MemberCreate, { minItems: 1 }),
);
export const BATCH_BYTES_MAX = 10_485_760;
export const MemberBatchAccepted = Type.Object({ async_action_id: Type.String() });
export const MemberUpdate = strict({ metadata: Nullable(Metadata) });
export type MemberUpdate = Static<typeof MemberUpdate>;
export const MemberQuery = CursorQuery(["created_at", "status", "customer_id"], { filters: Type.Optional(Filters) });
export const ByProgram = Type.Object({ programId: Type.String() });
export const ByMember = Type.Object({ programId: Type.String(), memberId: Type.String() });

const ProgramShown = Type.Object({
  id: Type.String(),
  name: Type.String(),
  status: Choice(["DRAFT", "ACTIVE", "INACTIVE", "DELETED"]),
  metadata: Metadata,
  object: Type.Literal("program"),
});
export const Membership = Type.Object(
  { member: Member, program: ProgramShown, cards: Type.Array(MembershipCard), object: Type.Literal("membership") },
  { title: "LoyaltyMembership" },
);
export type Membership = Static<typeof Membership>;
export const Memberships = Type.Object(
  {
    customer: Type.Object({
      id: Type.String(),
      source_id: Nullable(Type.String()),
      object: Type.Literal("customer"),
    }),
    memberships: Type.Array(
      Type.Object({
        member: Member,
        program: ProgramShown,
        cards: Type.Array(MemberCard),
        object: Type.Literal("membership"),
      }),
    ),
    object: Type.Literal("memberships_result"),
  },
  { title: "LoyaltyMemberships" },
);
export type Memberships = Static<typeof Memberships>;
export const MembershipQuery = strict({
  identification_type: Type.Optional(
    Choice(["customer_id", "customer_source_id", "member_id"], {
      description: "What the last part of the path is; the id of a customer unless told.",
    }),
  ),
});
export type MembershipQuery = Static<typeof MembershipQuery>;
export const ByMembership = Type.Object({ programId: Type.String(), customerId: Id });
export const ByMemberOfAny = Type.Object({ customerId: Id });
