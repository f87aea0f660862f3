import net from "node:net";

/** What became of the requests of one run. Times are milliseconds from the moment that a request was due. */
export type Outcome = {
  seconds: number;
  /** Answered with 200, and how long that took. */
  good: number[];
  /** Answered with 429 or 503, and how long that took. */
  refused: number[];
  /** Of those, the ones that do not say when to come again. */
  withoutRetryAfter: number;
  /** Everything else: another status, a connection that was cut, or no answer at all. */
  failed: Record<string, number>;
  /** Due, but every connection of the generator was taken. */
  unsent: number;
  /** When the last one was sent, on the clock of `performance.now()`. */
  sentAt: number;
};

type Load = { url: string; perSecond: number; seconds: number; next(): Buffer; connectionsMax?: number };

const HEAD_END = Buffer.from("\r\n\r\n");
const TICK_MS = 5;
const LAST_ANSWERS_MS = 30_000;

/**
 * Sends requests when they are due, however slow the answers are: so do the customers of a shop. On plain sockets, since the
 * generator has one core for ten times of what the server can do.
 */
export async function openLoop({ url, perSecond, seconds, next, connectionsMax = 4_000 }: Load): Promise<Outcome> {
  const { hostname, port } = new URL(url);
  const outcome: Outcome = { seconds, good: [], refused: [], withoutRetryAfter: 0, failed: {}, unsent: 0, sentAt: 0 };
  const idle: net.Socket[] = [];
  const dueOf = new Map<net.Socket, number>();
  let open = 0;
  const fail = (why: string) => {
    outcome.failed[why] = (outcome.failed[why] ?? 0) + 1;
  };

  const answered = (socket: net.Socket, bytes: Buffer) => {
    const ms = performance.now() - dueOf.get(socket)!;
    dueOf.delete(socket);
    const status = bytes.toString("latin1", 9, 12);
    const head = () => bytes.toString("latin1", 0, bytes.indexOf(HEAD_END));
    if (status === "200") outcome.good.push(ms);
    else if (status === "429" || status === "503") {
      outcome.refused.push(ms);
      if (!/\r\nretry-after: \d/i.test(head())) outcome.withoutRetryAfter += 1;
    } else fail(status);
    if (/\r\nconnection: close/i.test(head())) socket.destroy();
    else idle.push(socket);
  };
  const connect = (): net.Socket => {
    open += 1;
    const socket = net.connect({ host: hostname, port: Number(port), noDelay: true });
    let held: Buffer | null = null;
    socket.on("data", (piece: Buffer) => {
      held = held ? Buffer.concat([held, piece]) : piece;
      if (!isWhole(held)) return;
      const bytes = held;
      held = null;
      if (dueOf.has(socket)) answered(socket, bytes);
    });
    socket.once(
      "error",
      (error: NodeJS.ErrnoException) => dueOf.has(socket) && dueOf.delete(socket) && fail(error.code ?? "error"),
    );
    socket.once("close", () => {
      open -= 1;
      if (dueOf.delete(socket)) fail("closed");
      const at = idle.indexOf(socket);
      if (at >= 0) idle.splice(at, 1);
    });
    return socket;
  };
  const send = (due: number) => {
    const socket = idle.pop() ?? (open < connectionsMax ? connect() : null);
    if (socket === null) {
      outcome.unsent += 1;
      return;
    }
    dueOf.set(socket, due);
    socket.write(next());
  };

  const began = performance.now();
  let sent = 0;
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const now = performance.now();
      // The first is due at once: of ten a second none has to wait for the next one's time.
      const due = Math.min(seconds * perSecond, 1 + Math.floor(((now - began) / 1000) * perSecond));
      for (; sent < due; sent += 1) send(began + (sent / perSecond) * 1000);
      if (sent < seconds * perSecond) return;
      clearInterval(timer);
      outcome.sentAt = now;
      resolve();
    }, TICK_MS);
  });
  for (const end = performance.now() + LAST_ANSWERS_MS; dueOf.size > 0 && performance.now() < end; )
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  const silent = [...dueOf.keys()];
  for (const _ of silent) fail("no answer");
  // Their end is no other failure.
  dueOf.clear();
  for (const socket of [...idle, ...silent]) socket.destroy();
  return outcome;
}

function isWhole(bytes: Buffer): boolean {
  const head = bytes.indexOf(HEAD_END);
  if (head < 0) return false;
  const length = /content-length: (\d+)/i.exec(bytes.toString("latin1", 0, head))?.[1] ?? "0";
  return bytes.length >= head + HEAD_END.length + Number(length);
}
