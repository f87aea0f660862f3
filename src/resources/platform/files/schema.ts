import { type Static, Type } from "typebox";
import { Choice, DateTime } from "../../../http/schemas.ts";

export const FILE_KINDS = ["upload", "report", "export"] as const;

export const TaskResult = Type.Object(
  {
    id: Type.String(),
    kind: Choice(FILE_KINDS),
    name: Type.String(),
    content_type: Type.String(),
    bytes: Type.Integer({ minimum: 0, description: "How long it is, so far." }),
    is_complete: Type.Boolean({ description: "Whether it can be downloaded." }),
    created_at: DateTime,
    expires_at: DateTime,
    object: Type.Literal("file"),
  },
  { title: "TaskResult" },
);
export type TaskResult = Static<typeof TaskResult>;

export const TaskResultQuery = Type.Object({
  token: Type.Optional(
    Type.String({
      maxLength: 500,
      description: "From the address of a report. With it the answer is the file, and no keys are needed.",
    }),
  ),
});
export const ByTaskResult = Type.Object({ taskResultId: Type.String() });
