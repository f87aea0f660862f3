type Person = { id?: string | null | undefined; email?: string | null | undefined };

/** Contract is silent: how an address is normalised. */
const addressOf = ({ email }: Person): string | null => email?.normalize("NFKC").trim().toLowerCase() || null;

/** Whether two customers are one person: the same customer, or one address. */
export function isSamePerson(a: Person, b: Person): boolean {
  const address = addressOf(a);
  return (a.id != null && a.id === b.id) || (address !== null && address === addressOf(b));
}
