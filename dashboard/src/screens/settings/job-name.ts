import type { AsyncAction } from "../../api/operations.gen.ts";
import type { TextKey } from "../../text/text.ts";

/** The text of a kind of job; a dot would be a step into the catalogue. */
export const jobName = (type: AsyncAction["type"]) => `settings.jobTypes.${type.replace(".", "_")}` as TextKey;
