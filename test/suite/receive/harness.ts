/**
 * @module Harness of the receive suite: the real routes, journal, drain and listener over a store
 * in the process, on a free port of loopback.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { attribute } from "@turnproof/semconv";
import { ephemeral, issueOperatorGrant } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";
import type { TurnEvent } from "@turnproof/evidence";
import { Hono } from "hono";
import { expect } from "vitest";

import { createIngestAuthenticator } from "../../../collector/src/access/ingest-tokens.ts";
import type { IngestToken } from "../../../collector/src/config/config-values.ts";
import type { AppEnv } from "../../../collector/src/http/environment.ts";
import { createLog } from "../../../collector/src/log.ts";
import { openReceiver } from "../../../collector/src/receive/otlp/receiver.ts";
import type {
  Receiver,
  ReceiverOptions,
} from "../../../collector/src/receive/otlp/receiver-contract.ts";
import type { PlainSpan } from "../../otlp/encode.ts";
import { listen } from "../../../collector/src/server.ts";
import type { Listening } from "../../../collector/src/http/connections.ts";
import type { ListenOptions } from "../../../collector/src/server.ts";

/** Key of fingerprints in tests. */
export const identityKey = { kid: "k1", secret: Buffer.alloc(32, 7) };

export interface HarnessOptions {
  readonly store?: Pick<EvidenceStore, "append" | "readBack">;
  readonly tokens?: readonly IngestToken[];
  readonly receiver?: Partial<ReceiverOptions>;
  readonly listen?: Partial<ListenOptions>;
}

export interface Harness {
  readonly receiver: Receiver;
  readonly server: Listening;
  readonly store: EvidenceStore;
  readonly directory: string;
  /** Everything that was logged, one string. */
  logged(): string;
  /** Posts a body to `/v1/traces` (or another path). */
  post(
    body: Uint8Array | string | undefined,
    headers?: Record<string, string>,
    path?: string,
  ): Promise<Answer>;
  /** Waits for the drain and answers every stored event. */
  events(): Promise<readonly TurnEvent[]>;
  /** Closes everything and holds the conservation to its equation. */
  close(): Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly type: string | null;
  readonly body: Buffer;
  readonly headers: Headers;
}

export const protobuf = { "content-type": "application/x-protobuf" };
export const json = { "content-type": "application/json" };

/** Opens a harness; the caller closes it. */
export async function openHarness(options: HarnessOptions = {}): Promise<Harness> {
  const directory = await mkdtemp(join(tmpdir(), "receive-"));
  const store = ephemeral();
  const lines: string[] = [];
  const log = createLog("json", (line) => void lines.push(line));
  const tokens = options.tokens ?? [];
  const receiver = await openReceiver({
    directory: join(directory, "journal"),
    store:
      options.store === undefined
        ? store
        : {
            capabilities: [],
            appendPrepared: (batch) => store.appendPrepared(batch),
            ...options.store,
          },
    authenticateIngest: createIngestAuthenticator({ ingestTokens: tokens }, true),
    identityKey,
    log,
    ...options.receiver,
  });
  const app = new Hono<AppEnv>();
  app.use(async (c, next) => {
    c.set("requestId", "test-request");
    await next();
  });
  app.get("/healthz", (c) => c.text("ok"));
  app.route("/", receiver.routes);
  const server = await listen(app, { host: "127.0.0.1", port: 0, log, ...options.listen });
  return {
    receiver,
    server,
    store,
    directory,
    logged: () => lines.join(""),
    async post(body, headers = protobuf, path = "/v1/traces") {
      const response = await fetch(`${server.url}${path}`, {
        method: "POST",
        headers,
        ...(body === undefined ? {} : { body: body as BodyInit }),
      });
      return {
        status: response.status,
        type: response.headers.get("content-type"),
        body: Buffer.from(await response.arrayBuffer()),
        headers: response.headers,
      };
    },
    async events() {
      await receiver.idle();
      return storedEvents(store);
    },
    async close() {
      await server.close(2_000);
      expect(receiver.conservation().balanced).toBe(true);
      await receiver.close(2_000);
      await store.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Every event of a store, page by page. */
async function storedEvents(store: EvidenceStore): Promise<readonly TurnEvent[]> {
  const scope = { operator: issueOperatorGrant() };
  const events: TurnEvent[] = [];
  let after: Awaited<ReturnType<EvidenceStore["page"]>>["next"] | undefined;
  do {
    const options = { limit: 1_000, ...(after ? { after } : {}) };
    const slice = await store.page(scope, { store: "all" }, options);
    events.push(...slice.events);
    after = slice.next;
  } while (after !== null);
  return events;
}

/** A finished model call with an id of its own. */
export function chat(id: number, more: PlainSpan["attributes"] = {}): PlainSpan {
  return {
    traceId: "1".padStart(32, "0"),
    spanId: id.toString(16).padStart(16, "0"),
    name: "chat",
    startTimeUnixNano: "1790000000000000001",
    endTimeUnixNano: "1790000000000000003",
    attributes: { [attribute.genai_operation.span]: "chat", ...more },
  };
}
