/**
 * @module gRPC harness: the receive harness with OTLP/gRPC beside it, and a client of
 * `@grpc/grpc-js` that takes and gives bytes.
 */
import type { Client } from "@grpc/grpc-js";

import { listenGrpc } from "../../../collector/src/receive/grpc/grpc-server.ts";
import type { GrpcListenOptions } from "../../../collector/src/receive/grpc/grpc-server.ts";
import { createLog } from "../../../collector/src/log.ts";
import type { Listening } from "../../../collector/src/http/connections.ts";
import { clientOf, unary } from "./grpc-client.ts";
import type { GrpcAnswer } from "./grpc-client.ts";
import { openHarness } from "./harness.ts";
import type { Harness, HarnessOptions } from "./harness.ts";

export interface GrpcHarness extends Harness {
  readonly grpc: Listening;
  readonly client: Client;
  /** A unary call; metadata besides. */
  call(path: string, body: Uint8Array, metadata?: Record<string, string>): Promise<GrpcAnswer>;
  grpcLogged(): string;
}

export interface GrpcHarnessOptions extends HarnessOptions {
  readonly grpc?: Partial<GrpcListenOptions>;
}

/** Opens both listeners; `close` closes everything. */
export async function openGrpcHarness(options: GrpcHarnessOptions = {}): Promise<GrpcHarness> {
  const lines: string[] = [];
  const beside: { grpc?: Listening } = {};
  const harness = await openHarness({
    ...options,
    listen: { ...options.listen, grpcPort: () => beside.grpc?.port },
  });
  const opened = await listenGrpc(harness.receiver, {
    host: "127.0.0.1",
    port: 0,
    httpPort: harness.server.port,
    log: createLog("json", (line) => void lines.push(line)),
    ...options.grpc,
  });
  beside.grpc = opened;
  const client = clientOf(opened.port);
  return {
    ...harness,
    grpc: opened,
    client,
    call: (path, body, metadata) => unary(client, path, body, metadata),
    grpcLogged: () => lines.join(""),
    async close() {
      client.close();
      await opened.close(2_000);
      await harness.close();
    },
  };
}
