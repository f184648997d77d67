/** Requests that one connection sends at once are answered one after another. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import type { AddressInfo } from "node:net";

import { expect, test, vi } from "vitest";

import { answersInOrder } from "./pipelined.ts";

test("the next request begins when the answer before it has ended", async () => {
  const inOrder = answersInOrder();
  const begun: string[] = [];
  const answers: ServerResponse[] = [];
  const server = createServer((incoming, outgoing) => {
    inOrder(incoming.socket, outgoing, () => {
      begun.push(incoming.url ?? "");
      answers.push(outgoing);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const requestOf = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
  const socket = connect(port, "127.0.0.1");
  socket.write(["/1", "/2", "/3"].map(requestOf).join(""));
  await vi.waitFor(() => expect(begun).toEqual(["/1"]));
  // Another connection does not wait for this one.
  const other = connect(port, "127.0.0.1");
  other.write(requestOf("/other"));
  await vi.waitFor(() => expect(begun).toEqual(["/1", "/other"]));
  answers[0]?.end("one");
  await vi.waitFor(() => expect(begun).toEqual(["/1", "/other", "/2"]));
  answers[2]?.end("two");
  await vi.waitFor(() => expect(begun.at(-1)).toBe("/3"));
  // After the last one the connection is like a new one.
  answers[3]?.end("three");
  await vi.waitFor(() => expect(answers[3]?.writableFinished).toBe(true));
  socket.write(requestOf("/4"));
  await vi.waitFor(() => expect(begun.at(-1)).toBe("/4"));
  socket.destroy();
  other.destroy();
  server.closeAllConnections();
  server.close();
});
