type Clock = { clock_offset_ms: number };

const shifted = (at: string, ms: number): string => (ms === 0 ? at : new Date(Date.parse(at) + ms).toISOString());

/**
 * What time it is for a project: a test clock is ahead of the server. Everything that a project decides or writes down
 * is in this time. Tokens, idempotency keys, rate limits, cursors, ids and logs are in that of the server.
 */
export const projectTime = (serverTime: string, { clock_offset_ms }: Clock): string =>
  shifted(serverTime, clock_offset_ms);

/** The server's time at that time of the project. */
export const serverTime = (now: string, { clock_offset_ms }: Clock): string => shifted(now, -clock_offset_ms);
