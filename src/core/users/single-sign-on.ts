/** Who somebody is, as the provider of single sign-on says. */
export type ProviderIdentity = {
  issuer: string;
  subject: string;
  email: string | null;
  /** Whether the provider says that the address is theirs. */
  is_verified: boolean;
  first_name: string;
  last_name: string;
};

/** The user who has an address: what decides whether somebody may come in as them. */
export type AddressOwner = {
  id: string;
  has_password: boolean;
  /** Whether an account of this provider is theirs already. */
  has_identity: boolean;
  invitation_until: string | null;
  is_disabled: boolean;
};

/**
 * The way in. `enter`: the account is known. `link`: it becomes that of a user who was invited. `prove`: first they show that the
 * password account with their address is theirs. `join`: they become a new user.
 */
export type Entrance =
  | { way: "enter" | "link" | "prove"; user_id: string }
  | { way: "join"; email: string }
  | { way: "refuse"; details: string };

type Arrival = {
  identity: ProviderIdentity;
  /** The user whom the account is linked with. */
  linked: { id: string; is_disabled: boolean } | null;
  owner: AddressOwner | null;
  domains: readonly string[];
  now: string;
};

const ADDRESS = /^[^\s\p{Cc}@]+@([^\s\p{Cc}@]+)$/u;
const ADDRESS_MAX = 254;

const refuse = (details: string): Entrance => ({ way: "refuse", details });

/** Whether everybody with an address of its domain may come. A domain stands for itself, not for those below it. */
export const hasListedDomain = (email: string, domains: readonly string[]): boolean =>
  domains.includes(ADDRESS.exec(email)?.[1]?.toLowerCase() ?? "");

/** Decides how somebody comes in who was at the provider. An address counts only when the provider has verified it. */
export function entranceOf({ identity, linked, owner, domains, now }: Arrival): Entrance {
  if ((linked ?? owner)?.is_disabled) return refuse("The account was switched off");
  if (linked !== null) return { way: "enter", user_id: linked.id };
  const { email, is_verified } = identity;
  if (!/^[\x20-\x7e]{1,255}$/.test(identity.subject)) return refuse("The provider does not tell who it is");
  if (email === null || !ADDRESS.test(email) || email.length > ADDRESS_MAX)
    return refuse("The provider does not tell an e-mail address");
  if (!is_verified) return refuse(`The provider does not say that it has verified ${email}`);
  if (owner === null)
    return hasListedDomain(email, domains)
      ? { way: "join", email }
      : refuse(`${email} was not invited: ask for an invitation`);
  if (owner.has_password) return { way: "prove", user_id: owner.id };
  // An address may be given to somebody else; what was linked with it stays with whom it was linked.
  if (owner.has_identity) return refuse(`${email} belongs to another account of the provider`);
  if (hasListedDomain(email, domains) || (owner.invitation_until !== null && owner.invitation_until > now))
    return { way: "link", user_id: owner.id };
  return refuse(`The invitation of ${email} has expired, or was used: ask for a new one`);
}

/** A page of ours: nothing that a browser takes for another server. */
export const PAGE_PATH = "^/([^/\\\\\\u0000-\\u001f][^\\\\\\u0000-\\u001f]*)?$";
