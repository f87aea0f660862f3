import type { AsyncAction } from "../../api/operations.gen.ts";

type Underscored<T extends string> = T extends `${infer A}.${infer B}` ? `${A}_${B}` : T;

/** The text of a kind of job; a dot would be a step into the catalogue. A kind without a text does not compile. */
export const jobName = (type: AsyncAction["type"]) =>
  `settings.jobTypes.${type.replace(".", "_") as Underscored<typeof type>}` as const;
