import { useEffect, useState } from "react";
import { statusOf } from "../../api/errors.ts";
import { type FeedEvent, streamEvents } from "../../api/operations.gen.ts";
import { followStream } from "../../api/stream.ts";

const KEPT = 200;
const AGAIN_MS = 1_000;
const AGAIN_MS_MAX = 30_000;

export type Filters = { type?: string[]; customer_id?: string; campaign_id?: string };
export type Live = {
  events: FeedEvent[];
  state: "connecting" | "open" | "lost";
  error: unknown;
  isPaused: boolean;
  missed: number;
  toggle: () => void;
  clear: () => void;
};

const wait = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** What happens in the project, the newest first. While paused the list stands still, and what comes is counted. */
export function useLiveEvents(filters: Filters): Live {
  const [events, setEvents] = useState<FeedEvent[]>([]);
  const [frozen, setFrozen] = useState<FeedEvent[] | null>(null);
  const [state, setState] = useState<Live["state"]>("connecting");
  const [error, setError] = useState<unknown>(null);
  const asked = JSON.stringify(filters);
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    const follow = async () => {
      let after: string | null = null;
      let pause = AGAIN_MS;
      while (!signal.aborted) {
        try {
          await followStream(streamEvents, JSON.parse(asked), {
            signal,
            after,
            onOpen: () => {
              pause = AGAIN_MS;
              setState("open");
              setError(null);
            },
            onEvent: ({ id, data }) => {
              after = id === "" ? after : id;
              if (data === "") return;
              const event = JSON.parse(data) as FeedEvent;
              setEvents((old) => [event, ...old].slice(0, KEPT));
            },
          });
        } catch (fault) {
          if (signal.aborted) return;
          setState("lost");
          const status = statusOf(fault);
          if (status !== null && status >= 400 && status < 500) return setError(fault);
          pause = Math.min(pause * 2, AGAIN_MS_MAX);
        }
        await wait(pause, signal);
      }
    };
    setEvents([]);
    setFrozen(null);
    setState("connecting");
    void follow();
    return () => stop.abort();
  }, [asked]);
  const last = frozen === null ? 0 : events.findIndex(({ id }) => id === frozen[0]?.id);
  return {
    events: frozen ?? events,
    state,
    error,
    isPaused: frozen !== null,
    missed: last === -1 ? events.length : last,
    toggle: () => setFrozen(frozen === null ? events : null),
    clear: () => {
      setEvents([]);
      setFrozen(frozen && []);
    },
  };
}
