import { Link } from "react-router";
import type { RowOf } from "../../api/op.ts";
import {
  activateProgramMember,
  deactivateProgramMember,
  type LoyaltyProgram,
  listProgramMembers,
} from "../../api/operations.gen.ts";
import { link, moment, mono, status } from "../../kit/list/columns.tsx";
import { tabs } from "../../kit/list/filters.tsx";
import { ListScreen } from "../../kit/list/list-screen.tsx";
import { useList } from "../../kit/list/use-list.ts";
import { RecordName } from "../../registry/record-name.tsx";

type Member = RowOf<typeof listProgramMembers>;

const COLUMNS = [
  link<Member>("loyalty.member", "customer_id", (row) => `/loyalty/${row.program_id}/members/${row.id}`, {
    cell: ({ id, customer_id, program_id }) => (
      <Link to={`/loyalty/${program_id}/members/${id}`} data-opens="">
        <RecordName of={customer_id} />
      </Link>
    ),
  }),
  status<Member>("loyalty.status", "status"),
  moment<Member>("loyalty.joined", "created_at", { sort: "created_at" }),
  mono<Member>("loyalty.memberId", "id", { isExtra: true }),
];
const params = (row: Member) => ({ programId: row.program_id, memberId: row.id });

export default function Members({ record }: { record: LoyaltyProgram }) {
  const list = useList(listProgramMembers, { programId: record.id }, { paging: "cursor" });
  return (
    <ListScreen
      isPart
      list={list}
      title="loyalty.members"
      filters={[
        tabs("filters[status][conditions][$is]", "loyalty.status", {
          ACTIVE: "kit.status.active",
          INACTIVE: "kit.status.disabled",
        }),
      ]}
      columns={COLUMNS}
      bulk={[
        {
          text: "loyalty.enable",
          done: "loyalty.enabled",
          operation: activateProgramMember,
          undo: deactivateProgramMember,
          params,
        },
        {
          text: "loyalty.disable",
          done: "loyalty.disabled",
          operation: deactivateProgramMember,
          undo: activateProgramMember,
          params,
        },
      ]}
      empty={{ title: "loyalty.noMembers", help: "loyalty.noMembersHelp" }}
    />
  );
}
