import { listActivities } from "../../../events/activities.ts";
import { enrolMember, enrolMembers } from "../../../flows/loyalty-v2/enrol-member.ts";
import {
  readMembership,
  readMemberships,
  readMemberWithCards,
  readProgramMember,
  requireProgram,
} from "../../../flows/loyalty-v2/read-memberships.ts";
import { moveMember, removeMember, updateMember } from "../../../flows/loyalty-v2/save-member.ts";
import { cursorList, read, write } from "../../../http/route.ts";
import { ActivityQuery, activityListOf } from "../../../http/schemas.ts";
import {
  BATCH_BYTES_MAX,
  ByMember,
  ByMemberOfAny,
  ByMembership,
  ByProgram,
  Member,
  MemberBatch,
  MemberBatchAccepted,
  MemberCreate,
  MemberList,
  MemberQuery,
  Membership,
  MembershipQuery,
  Memberships,
  MemberUpdate,
  MemberWithCards,
} from "./schema.ts";
import { listMembers, view } from "./store.ts";

const ACTIVITIES = { id: "lambr", cursor: "lcrsambr", field: "member_id" } as const;
const MEMBERS = "/v2/loyalties/programs/{programId}/members";
const MEMBER = `${MEMBERS}/{memberId}` as const;

export const loyaltyMemberRoutes = [
  write(
    `POST ${MEMBERS}`,
    {
      id: "createProgramMember",
      summary: "Enrol a customer",
      description: "The customer gets a card for each card definition of the program.",
      params: ByProgram,
      body: MemberCreate,
      ok: MemberWithCards,
    },
    (c) => enrolMember(c, c.params.programId, c.body),
  ),
  read(
    `GET ${MEMBERS}`,
    { id: "listProgramMembers", summary: "List members", params: ByProgram, query: MemberQuery, ok: MemberList },
    async (c) => {
      const { id: programId } = await requireProgram(c, c.params.programId);
      return cursorList(await listMembers(c.db, { ...c, programId }, c.query), view);
    },
  ),
  write(
    `POST ${MEMBERS}/batch`,
    {
      id: "batchCreateProgramMembers",
      summary: "Enrol many customers",
      description: "Each entry is checked for itself. What is wrong with it stands in the result of the async action.",
      params: ByProgram,
      body: MemberBatch,
      bodyLimitBytes: BATCH_BYTES_MAX,
      status: 202,
      ok: MemberBatchAccepted,
    },
    (c) => enrolMembers(c, c.params.programId, c.body),
  ),
  read(
    `GET ${MEMBER}`,
    { id: "getProgramMember", summary: "Read a member", params: ByMember, ok: MemberWithCards },
    (c) => readMemberWithCards(c, c.params),
  ),
  write(
    `PUT ${MEMBER}`,
    {
      id: "updateProgramMember",
      summary: "Update a member",
      description: "Metadata is merged key by key; null takes all of it away.",
      params: ByMember,
      body: MemberUpdate,
      ok: Member,
    },
    (c) => updateMember(c, c.params, c.body),
  ),
  write(
    `DELETE ${MEMBER}`,
    { id: "deleteProgramMember", summary: "Delete a member and the cards", params: ByMember, ok: Member },
    (c) => removeMember(c, c.params),
  ),
  write(
    `POST ${MEMBER}/activate`,
    { id: "activateProgramMember", summary: "Activate a member", params: ByMember, ok: Member },
    (c) => moveMember(c, c.params, "activate"),
  ),
  write(
    `POST ${MEMBER}/deactivate`,
    { id: "deactivateProgramMember", summary: "Deactivate a member", params: ByMember, ok: Member },
    (c) => moveMember(c, c.params, "deactivate"),
  ),
  read(
    `GET ${MEMBER}/activities`,
    {
      id: "listProgramMemberActivities",
      summary: "List what happened to a member",
      params: ByMember,
      query: ActivityQuery,
      ok: activityListOf("member_id"),
    },
    async (c) => {
      const { id } = await readProgramMember(c, c.params);
      return cursorList(await listActivities(c, { list: ACTIVITIES, of: id }, c.query), (activity) => activity);
    },
  ),
  read(
    "GET /v2/loyalties/memberships/{customerId}",
    {
      id: "getCustomerMemberships",
      summary: "Read the memberships of a customer",
      params: ByMemberOfAny,
      query: MembershipQuery,
      ok: Memberships,
    },
    (c) => readMemberships(c, c.params.customerId, c.query.identification_type ?? "customer_id"),
  ),
  read(
    "GET /v2/loyalties/programs/{programId}/memberships/{customerId}",
    {
      id: "getProgramMembership",
      summary: "Read a customer's membership in a program",
      params: ByMembership,
      query: MembershipQuery,
      ok: Membership,
    },
    (c) =>
      readMembership(c, {
        programId: c.params.programId,
        reference: c.params.customerId,
        type: c.query.identification_type ?? "customer_id",
      }),
  ),
];
