import { type Static, Type } from "typebox";
import { Choice, DateTime, listOf, Nullable, optional, strict } from "../../../http/schemas.ts";

const kind = Choice(["app", "client"], { description: "`app`: for servers. `client`: for browsers and apps." });
const name = Type.String({ minLength: 1, maxLength: 200 });
const OVERLAP_HOURS_MAX = 24 * 365;

/** A key pair of a project. Its secret is shown once, when it is made. */
export const Key = Type.Object(
  {
    id: Type.String(),
    kind,
    name: Type.String(),
    created_at: DateTime,
    last_used_at: Nullable(DateTime),
    disabled_at: Nullable(DateTime),
    previous_until: Nullable(
      Type.Unsafe<string>({ ...DateTime, description: "Until when the secret before the last change works, too." }),
    ),
    object: Type.Literal("key"),
  },
  { title: "Key" },
);
export type Key = Static<typeof Key>;
export const KeyWithSecret = Type.Object(
  { ...Key.properties, secret: Type.String({ description: "It is not shown again." }) },
  { title: "KeyWithSecret" },
);
export type KeyWithSecret = Static<typeof KeyWithSecret>;
export const KeyList = listOf(Key);
export const KeyCreate = strict({ kind, name });
export const KeyRotate = strict(
  optional({
    overlap_hours: Type.Integer({
      minimum: 0,
      maximum: OVERLAP_HOURS_MAX,
      description: "How long the old secret works on; 24 unless it is sent.",
    }),
  }),
);
export const KeysOfProject = Type.Object({ projectId: Type.String() });
export const ByKey = Type.Object({ projectId: Type.String(), keyId: Type.String() });
export const KeyQuery = Type.Object({
  kind: Type.Optional(Choice(["app", "client"], { description: "Where two keys of the project have one id." })),
});
