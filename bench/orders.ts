// What the process that measures and the server that is measured say to each other.

export type Order =
  | { ask: "jobs" }
  | { ask: "count"; goesOn: boolean }
  | { ask: "heap" }
  | { ask: "used" }
  | { ask: "steps" }
  | { ask: "constant"; text: string }
  | { ask: "stop" };
export type Reply = { url: string } | { heap: number } | { steps: number } | { done: true };

/** Operations that are held against a constant, each with the path of its twin. */
export const TWINS = {
  "/v1/validations": "/v1/bench-validations",
  "/v1/redemptions": "/v1/bench-redemptions",
  "/v1/events": "/v1/bench-events",
} as const;
