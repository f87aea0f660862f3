import http from "node:http";

// Stands between the browser and a real server, so that a test can break an answer on its way.

export type Reply = { status: number; body?: unknown };

async function bodyOf(request: http.IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Starts it on a free port, also before the server. What tests put into `faults` is answered in place of the server. */
export async function startFaults(target: () => string) {
  const faults = new Map<RegExp, Reply | "hang up">();

  function pass(request: http.IncomingMessage, response: http.ServerResponse): void {
    const onward = http.request(
      new URL(request.url ?? "/", target()),
      { method: request.method, headers: request.headers },
      (reply) => {
        response.writeHead(reply.statusCode!, reply.headers);
        reply.pipe(response);
      },
    );
    onward.on("error", () => request.socket.destroy());
    response.on("close", () => onward.destroy());
    request.pipe(onward);
  }

  const server = http.createServer(async (request, response) => {
    const fault = [...faults].find(([pattern]) => pattern.test(request.url ?? "/"))?.[1];
    if (fault === undefined) return pass(request, response);
    if (fault === "hang up") return void request.socket.destroy();
    await bodyOf(request);
    response.writeHead(fault.status, { "Content-Type": "application/json" });
    return void response.end(JSON.stringify(fault.body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    faults,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
