import type { ErrorEntry } from "../loyalty/errors.ts";

/** The part of the table of errors that only users, their invitations, stored secrets and the branding of a project have. */
export const TEAM_ERRORS = {
  branding_exist: {
    code: 409,
    message: "Branding exist",
    help: "Update the project's branding instead: a project has only one.",
  },
  invitation_accepted: {
    code: 409,
    message: "Invitation accepted",
    help: "The user has a password and needs no invitation. `laurel user password` sets another one.",
  },
  invitation_expired: {
    code: 410,
    message: "Invitation expired",
    help: "An invitation is valid for seven days. Send it again with `POST …/users/{userId}/invitation` or `laurel user invite`.",
  },
  session_expired: {
    code: 401,
    message: "Session expired",
    help: "Sign in again. A session ends after 12 hours without a request, after 7 days, and when the password or a role of the user changes.",
  },
  second_factor_required: {
    code: 401,
    message: "Second factor required",
    help: "Send e-mail address and password again, with the `code` that the authenticator app shows or a recovery code.",
  },
  single_sign_on_failed: {
    code: 401,
    message: "Single sign-on failed",
    help: "Begin again at the sign-in page, in the same browser. A sign-in at the provider counts once, for ten minutes.",
  },
  single_sign_on_refused: {
    code: 403,
    message: "Single sign-on refused",
    help: "Ask for an invitation to the address that the provider has verified, or sign in with a password. `LAUREL_OIDC_DOMAINS` lists domains that need none.",
  },
  single_sign_on_unavailable: {
    code: 503,
    message: "Single sign-on unavailable",
    help: "The provider does not answer, or refuses this server. Sign in with a password, or try again later; the log says why.",
  },
  secret_key_wrong: {
    code: 503,
    message: "Secret key wrong",
    help: "Start Laurel with the `LAUREL_SECRET_KEY` that the secret was encrypted with. Where it is lost, `laurel doctor` says what to make anew.",
  },
  csrf_token_missing: {
    code: 403,
    message: "CSRF token missing",
    help: "Send the header `X-Laurel-CSRF` with the `csrf_token` of the session, as `GET /management/v1/session` answers it.",
  },
  used_incorrect_role: {
    code: 400,
    message: "Used incorrect role",
    help: "Use a built-in role, or the id of a custom role; `GET /management/v1/roles` lists both.",
  },
  user_not_assigned: {
    code: 400,
    message: "User not assigned",
    help: "Assign the user to the project first.",
  },
} as const satisfies Record<string, ErrorEntry>;
