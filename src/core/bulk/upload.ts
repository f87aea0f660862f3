/** A file that was uploaded, and stored. Nobody reads it before the operation that it came for has taken it. */
export type Upload = {
  file_id: string;
  bytes: number;
  sha256: string;
  /** What else stood in the form. */
  fields: Readonly<Record<string, string>>;
};

/** What somebody asked for with an import. */
export type ImportOptions = {
  /** The campaign that codes belong to. */
  campaign_id?: string;
  /** Only says what would happen. */
  dry_run?: boolean;
  /** Whether the outside world is told of each object, also of one that nothing changed of. */
  webhooks_enable?: boolean;
};

/** What a query and a form ask for; the form may say what the query does not. */
export function importOptions(
  query: { dry_run?: boolean },
  { fields }: Pick<Upload, "fields">,
): Pick<ImportOptions, "dry_run" | "webhooks_enable"> {
  const says = (name: string) => fields[name]?.trim().toLowerCase() === "true";
  return { dry_run: query.dry_run ?? says("dry_run"), webhooks_enable: says("webhooks_enable") };
}
