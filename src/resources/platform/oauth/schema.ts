import { type Static, Type } from "typebox";
import { open } from "../../../http/schemas.ts";

const Field = Type.Optional(Type.String({ maxLength: 5000 }));
export const TokenRequest = open({
  grant_type: Type.Optional(Type.String({ maxLength: 100, description: "`client_credentials`. Required." })),
  scope: Type.Optional(Type.String({ maxLength: 5000, description: "Scopes, separated by spaces. Required." })),
});
export const TokenReference = open({ access_token: Field });

const token = {
  access_token: Type.String(),
  client_id: Type.String({ description: "The id of the key pair that asked for it." }),
  expires_at: Type.Integer({ description: "Unix time in seconds." }),
  expires_in: Type.Integer({ description: "Seconds left." }),
  scope: Type.String(),
  token_type: Type.Literal("Bearer"),
};
export const AccessToken = Type.Object(token, { title: "AccessToken" });
export type AccessToken = Static<typeof AccessToken>;
/** A token that is not active shows no other field. */
export const Introspection = Type.Object(
  { active: Type.Boolean(), ...Object.fromEntries(Object.entries(token).map(([k, s]) => [k, Type.Optional(s)])) },
  { title: "Introspection" },
);
