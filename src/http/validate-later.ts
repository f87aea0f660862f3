import type { ValidateFunction } from "ajv";
import type { FastifyInstance } from "fastify";
import type { Route } from "./route.ts";
import { compileBody, compileText, dropUnnamed, readable, validationError } from "./validation.ts";

/**
 * Compiling all schemas takes a second of CPU, so each is compiled when it is first needed. A checkout should not wait for
 * those of the hot operations: what is returned compiles them, once the server is ready.
 */
export function validateLater(app: FastifyInstance, routes: readonly Route[]): () => void {
  const hot = new Set<unknown>(routes.filter(({ runs }) => runs === "hot").map(({ body }) => body));
  const compilers: (() => ValidateFunction)[] = [];
  app.setValidatorCompiler(({ schema, httpPart }) => {
    let check: ValidateFunction | undefined;
    const compile = () => {
      check ??= httpPart === "body" ? compileBody(schema) : compileText(schema);
      return check;
    };
    if (hot.has(schema)) compilers.push(compile);
    return (data) => {
      if (httpPart === "querystring") readable(schema as object, data);
      const holds = check ?? compile();
      if (!holds(data)) return { error: validationError(httpPart as "body", holds.errors!) };
      if (httpPart === "querystring") dropUnnamed(schema as object, data);
      return true;
    };
  });
  const next = () => {
    compilers.pop()?.();
    if (compilers.length > 0) setImmediate(next).unref();
  };
  return next;
}
