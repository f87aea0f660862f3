import { type Filter, type FilterProps, SearchField } from "../../kit/list/filters.tsx";
import { useText } from "../../text/text.ts";

const WIDTH = 300;

/** One field for names and e-mail addresses: what has an @ is one. */
function WhoFilter({ list }: FilterProps) {
  const t = useText();
  return (
    <SearchField
      label={t("customers.search")}
      width={WIDTH}
      value={list.query.get("email") ?? list.query.get("name") ?? ""}
      onSearch={(text) => {
        const isEmail = text.includes("@");
        list.filter({ email: isEmail ? text : null, name: isEmail ? null : text }, { replace: true });
      }}
    />
  );
}

export const who: Filter = { kind: "own", name: "name", title: "customers.search", field: WhoFilter };
