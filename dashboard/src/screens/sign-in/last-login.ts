// Also written by the page of an invitation: `src/http/users/invitation-page.js`.
const KEY = "laurel-login";

/** The address that somebody signed in with on this browser, or accepted an invitation for; empty where nobody did. */
export const lastLogin = (): string => localStorage.getItem(KEY) ?? "";
export const keepLogin = (login: string): void => localStorage.setItem(KEY, login);
