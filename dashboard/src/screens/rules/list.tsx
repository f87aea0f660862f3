import { listValidationRules, type ValidationRule } from "../../api/operations.gen.ts";
import { count, link, moment, mono } from "../../kit/list/columns.tsx";
import { search } from "../../kit/list/filters.tsx";
import { ListScreen } from "../../kit/list/list-screen.tsx";
import { firstRows, useList } from "../../kit/list/use-list.ts";

const conditionsIn = ({ rules }: ValidationRule) => Object.keys(rules).filter((key) => key !== "logic").length;

export default function Rules() {
  const list = useList(listValidationRules);
  return (
    <ListScreen
      list={list}
      title="rules.title"
      filters={[search("filters[name][conditions][$contains]", "rules.search")]}
      create={{ to: "/rules/new", text: "rules.new", can: "createValidationRule" }}
      columns={[
        link<ValidationRule>("rules.name", "name", ({ id }) => `/rules/${id}`, { sort: "name" }),
        {
          ...count<ValidationRule>("rules.conditions", "rules"),
          cell: conditionsIn,
          csv: conditionsIn,
        },
        count("rules.used", "assignments_count"),
        moment("rules.created", "created_at", { sort: "created_at" }),
        moment("rules.changed", "updated_at", { sort: "updated_at" }),
        mono("rules.id", "id", { isExtra: true }),
      ]}
      empty={{ title: "rules.empty", help: "rules.emptyHelp" }}
    />
  );
}
Rules.first = firstRows(listValidationRules);
