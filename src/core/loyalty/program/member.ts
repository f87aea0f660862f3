import { invalid } from "../../errors.ts";

type Identification = {
  type: "customer_id" | "customer_source_id";
  customer_id?: string | null;
  customer_source_id?: string | null;
};
/** Which customer is meant: by id or by source id. */
export type Meant = { id: string } | { sourceId: string };

// Contract is silent: both ways at once are taken when they say the same.
/** Who is to be enrolled. 400 when nobody is named, or two are. */
export function meantBy({
  customer_id,
  customer_identification: given,
}: {
  customer_id?: string;
  customer_identification?: Identification;
}): Meant {
  if (!given) {
    if (customer_id === undefined) throw invalid("Payload must have required property 'customer_id'");
    return { id: customer_id };
  }
  const named = given[given.type];
  if (!named) throw invalid(`Property .customer_identification must have required property '${given.type}'`);
  if (customer_id !== undefined && !(given.type === "customer_id" && named === customer_id))
    throw invalid("Property .customer_identification must name the same customer as .customer_id");
  return given.type === "customer_id" ? { id: named } : { sourceId: named };
}
