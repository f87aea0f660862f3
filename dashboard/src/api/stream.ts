import { RequestError } from "./errors.ts";
import type { AnyOp, ParamsOf } from "./op.ts";
import { addressOf, headersOf } from "./send.ts";

export type StreamEvent = { id: string; type: string; data: string };

/** The events in a part of a stream, and what is left of it: an event ends with an empty line. */
export function parseEvents(text: string): { events: StreamEvent[]; rest: string } {
  const blocks = text.split("\n\n");
  const rest = blocks.pop() ?? "";
  const events = blocks.map((block) => {
    const of = (name: string) =>
      block
        .split("\n")
        .filter((line) => line.startsWith(`${name}: `))
        .map((line) => line.slice(name.length + 2))
        .join("\n");
    return { id: of("id"), type: of("event"), data: of("data") };
  });
  return { events, rest };
}

type Options = { signal: AbortSignal; after: string | null; onOpen: () => void; onEvent: (event: StreamEvent) => void };

/**
 * Reads server-sent events until the server ends the stream. `EventSource` cannot be used: it sends no headers, and the project
 * is in one.
 */
export async function followStream<O extends AnyOp>(operation: O, params: ParamsOf<O>, options: Options) {
  const { signal, after, onOpen, onEvent } = options;
  const response = await fetch(addressOf(operation, params), {
    headers: {
      ...headersOf(operation, {}),
      Accept: "text/event-stream",
      ...(after !== null && { "Last-Event-ID": after }),
    },
    credentials: "same-origin",
    signal,
  });
  if (!response.ok || response.body === null)
    throw new RequestError(response.status, await response.json().catch(() => ({})));
  onOpen();
  let text = "";
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const { events, rest } = parseEvents(text + part.value);
    text = rest;
    for (const event of events) onEvent(event);
  }
}
