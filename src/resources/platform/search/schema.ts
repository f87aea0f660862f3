import { type Static, Type } from "typebox";
import { SEARCH_TYPES } from "../../../core/search/results.ts";
import { Choice } from "../../../http/schemas.ts";

export const SearchQuery = Type.Object({
  q: Type.String({
    minLength: 2,
    maxLength: 300,
    description: "What somebody typed: a code, a name, an id or its start.",
  }),
  types: Type.Optional(
    Type.String({ maxLength: 200, description: `Only these, with commas between: ${SEARCH_TYPES.join(", ")}.` }),
  ),
});
export type SearchQuery = Static<typeof SearchQuery>;

export const Search = Type.Object(
  {
    results: Type.Array(
      Type.Object({
        type: Choice(SEARCH_TYPES),
        id: Type.String({ description: "The code of a voucher, the id of anything else." }),
        title: Type.String(),
        detail: Type.String({ description: "What tells it from others with the same title." }),
        score: Type.Number({ description: "1: it is what was typed. 0.5: it begins so. 0.25: it holds it." }),
      }),
      { description: "At most 20, the best first." },
    ),
    object: Type.Literal("search"),
  },
  { title: "Search" },
);
export type Search = Static<typeof Search>;
