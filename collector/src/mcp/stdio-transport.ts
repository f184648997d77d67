/**
 * @module StdioTransport: the SDK's transport over stdio drops the calls under way when its input
 * ends. This one answers every request that it has read, and closes then: a client may write its
 * requests and close (`printf … | turnproof mcp`).
 */
import { PassThrough } from "node:stream";
import type { Readable, Writable } from "node:stream";

import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

/** How long answers may take after the end of the input. */
const answerMsMax = 120_000;
/** A request that stays open until its connection ends. */
const subscription = "subscriptions/listen";

type Id = string | number;

/** A transport from these streams. */
export function stdioTransport(input: Readable, output: Writable): Transport {
  const relay = new PassThrough();
  const inner = new StdioServerTransport(relay, output);
  /** Requests without an answer. */
  const open = new Set<Id>();
  let ended = false;
  const settle = (): void => {
    if (!ended || open.size > 0) return;
    // A request may still be on its way to the transport.
    if (relay.readableLength + relay.writableLength > 0) setImmediate(settle);
    else relay.end();
  };
  const end = (): void => {
    if (ended) return;
    ended = true;
    setTimeout(() => relay.end(), answerMsMax).unref();
    settle();
  };
  const transport: Transport = {
    async start() {
      inner.onmessage = (message) => {
        read(message, open);
        transport.onmessage?.(message);
        settle();
      };
      inner.onclose = () => {
        // An input that stays open must not hold the process.
        input.unpipe(relay).pause();
        transport.onclose?.();
      };
      inner.onerror = (error) => transport.onerror?.(error);
      input.once("end", end);
      input.once("close", end);
      input.on("error", (error) => transport.onerror?.(error));
      input.pipe(relay, { end: false });
      await inner.start();
    },
    async send(message) {
      await inner.send(message);
      if (!("method" in message) && message.id !== undefined) open.delete(message.id);
      settle();
    },
    close: () => inner.close(),
  };
  return transport;
}

function read(message: JSONRPCMessage, open: Set<Id>): void {
  if (!("method" in message)) return;
  if ("id" in message && message.method !== subscription) open.add(message.id);
  // The server answers no request that was cancelled.
  const { requestId } = (message.params ?? {}) as { readonly requestId?: Id };
  if (message.method === "notifications/cancelled" && requestId !== undefined) {
    open.delete(requestId);
  }
}
