/** @module AlertReceiver: a receiver of webhooks, which checks their signatures. */
import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

import { Webhook } from "standardwebhooks";

/** Signing secret of the tests. */
export const secret = `whsec_${Buffer.from("a secret of thirty-two bytes ok!").toString("base64")}`;

/** One request to a receiver. */
export interface Received {
  readonly path: string;
  readonly id: string;
  readonly body: string;
  readonly atMs: number;
}

/** A receiver; `answer` is the status of its next answers, 0 for none at all. */
export interface Receiver {
  readonly url: string;
  readonly got: Received[];
  answer: number;
  /** Status of one path, in place of that. */
  readonly answers: Map<string, number>;
  close(): Promise<void>;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** Listens; a signed request whose signature is wrong is refused and not kept. */
export async function openReceiver(): Promise<Receiver> {
  const got: Received[] = [];
  const server = createServer((request, response) => {
    void textOf(request).then((body) => {
      const { headers } = request;
      if (headers["webhook-id"] !== undefined) {
        new Webhook(secret).verify(body, headers as Record<string, string>);
      }
      const id = String(headers["webhook-id"] ?? "");
      got.push({ path: request.url ?? "", id, body, atMs: Date.now() });
      const status = receiver.answers.get(request.url ?? "") ?? receiver.answer;
      if (status === 0) return;
      const moved = status === 302 ? { location: "/elsewhere" } : {};
      const wait = status === 429 ? { "retry-after": "60" } : {};
      response.writeHead(status, { ...moved, ...wait }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    got,
    answer: 204,
    answers: new Map(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return receiver;
}
