import { customersAndCodes } from "./stories/customers-and-codes.ts";
import { leftovers } from "./stories/leftovers.ts";
import { newcomer } from "./stories/newcomer.ts";
import { operators } from "./stories/operators.ts";
import { people } from "./stories/people.ts";
import { shell } from "./stories/shell.ts";
import { why } from "./stories/why.ts";
import { tell } from "./tell.ts";

// People come last: they end sessions, also the one that reads for the tests.
tell("stories of support and operators in a browser", {
  newcomer,
  shell,
  why,
  operators,
  customersAndCodes,
  leftovers,
  people,
});
