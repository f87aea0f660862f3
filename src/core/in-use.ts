import { ApiError } from "./errors.ts";

/** What uses something. `named` is how the details name it, where that is not the plural of the type. */
export type UsedBy = { type: string; ids: readonly string[]; named?: string };

/** The refusal to delete or change what others use. */
export const inUse = (
  { type, id }: { type: string; id: string },
  { type: other, ids, named = `${other}s` }: UsedBy,
  answer: { code?: 400 | 409 } = {},
): ApiError =>
  new ApiError("resource_in_use", {
    ...answer,
    details: `Resource ${type} with id ${id} is in use by ${named} with ids ${JSON.stringify(ids)}`,
    resource_id: id,
    resource_type: type,
    related_object_ids: ids,
    related_object_type: other,
  });
