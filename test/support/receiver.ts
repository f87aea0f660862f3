import http from "node:http";
import type { AddressInfo } from "node:net";
import { atEndOfFile } from "./end-of-file.ts";

export type Received = { path: string; headers: Record<string, string>; body: string };
type Reply = { status?: number; headers?: Record<string, string>; body?: string; hangs?: boolean };

/** A server that webhooks are sent to. What it answers can be changed; `hangs`: nothing, until it is let go. */
export async function startReceiver(answer: (received: Received) => Reply | Promise<Reply> = () => ({})) {
  const received: Received[] = [];
  const hanging: http.ServerResponse[] = [];
  const it = { answer };
  const server = http.createServer((request, reply) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", async () => {
      const one = {
        path: request.url!,
        headers: request.headers as Record<string, string>,
        body: Buffer.concat(chunks).toString(),
      };
      received.push(one);
      const { status = 200, headers = {}, body = "", hangs } = await it.answer(one);
      if (hangs) hanging.push(reply);
      else reply.writeHead(status, headers).end(body);
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const letGo = () => {
    for (const reply of hanging.splice(0)) reply.writeHead(200).end();
  };
  atEndOfFile(async () => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(it, { url, received, letGo, bodies: () => received.map(({ body }) => JSON.parse(body)) });
}
