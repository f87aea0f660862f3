import { Readable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import { ApiError } from "../../core/errors.ts";
import { projectTime } from "../../core/time/project-time.ts";
import type { Engine } from "../engine.ts";
import type { Route } from "../route.ts";

const POLL_MS = 500;
/** A comment now and then: proxies close a connection on which nothing comes. */
const SIGN_OF_LIFE_MS = 15_000;
/** Then the client connects again. */
const STREAM_MS = 300_000;
const STREAMS_MAX = 20;
const RETRY_MS = 1_000;

type IsStillIn = (route: Route, request: FastifyRequest) => Promise<boolean>;

/** Sends server-sent events to whoever stays connected, for some minutes at a time. Who may not come in any more is told nothing. */
export function createEventStreams(engine: Engine, isStillIn: IsStillIn) {
  const { streamMs = STREAM_MS } = engine;
  const openOf = new Map<string, number>();
  let isClosing = false;

  const open = (projectId: string): (() => void) => {
    const count = openOf.get(projectId) ?? 0;
    if (count >= STREAMS_MAX)
      throw new ApiError("too_many_requests", {
        details: `The project has ${STREAMS_MAX} streams open, as many as a process serves; close one of them`,
      });
    openOf.set(projectId, count + 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      const left = openOf.get(projectId)! - 1;
      if (left === 0) openOf.delete(projectId);
      else openOf.set(projectId, left);
    };
  };

  type Open = { first: Page; isGone: () => boolean; close: () => void };
  async function* textOf(
    route: Route,
    request: FastifyRequest,
    { first, isGone, close }: Open,
  ): AsyncGenerator<string> {
    const until = performance.now() + streamMs;
    let [page, quietSince] = [first, performance.now()];
    try {
      // A place without an event: a client that is cut off before the first one says it, and misses nothing.
      yield `retry: ${RETRY_MS}\nid: ${first.from}\n\n`;
      while (true) {
        for (const { id, type, data } of page.events) {
          const text = JSON.stringify(data);
          engine.onAnswer?.(route, 200, text);
          yield `id: ${id}\nevent: ${type}\ndata: ${text}\n\n`;
        }
        if (isClosing || isGone() || performance.now() >= until) {
          yield `id: ${page.position}\n\n`;
          return;
        }
        if (page.events.length > 0) quietSince = performance.now();
        else {
          await wait(Math.min(POLL_MS, streamMs));
          if (performance.now() - quietSince >= SIGN_OF_LIFE_MS) {
            quietSince = performance.now();
            yield `id: ${page.position}\n: still here\n\n`;
          }
        }
        page = await pageOf(route, request, page.position);
        if (page.events.length > 0 && !(await isStillIn(route, request))) return;
      }
    } finally {
      close();
    }
  }

  type Page = Awaited<ReturnType<NonNullable<Route["follow"]>>>;
  const pageOf = (route: Route, { authenticated: { project }, query }: FastifyRequest, position: string | null) =>
    engine.share(
      project.id,
      (db): Promise<Page> => route.follow!({ db, project, query, position, now: projectTime(engine.now(), project) }),
    );

  return {
    close: () => {
      isClosing = true;
    },
    send: async (route: Route, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const close = open(request.authenticated.project.id);
      // Whoever leaves before the first piece was sent never starts the generator.
      reply.raw.once("close", close);
      const last = request.headers["last-event-id"];
      const position = typeof last === "string" && last !== "" ? last : null;
      // What is wrong with the request shows before the stream begins.
      const first = await pageOf(route, request, position).catch((error) => {
        close();
        throw error;
      });
      return (
        reply
          .type("text/event-stream")
          .header("Cache-Control", "no-store")
          .header("X-Accel-Buffering", "no")
          // Kept for another request, it would keep the server from closing.
          .header("Connection", "close")
          .send(Readable.from(textOf(route, request, { first, isGone: () => reply.raw.destroyed, close })))
      );
    },
  };
}
