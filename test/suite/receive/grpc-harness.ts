/**
 * @module gRPC harness: the receive harness with OTLP/gRPC beside it, and a client of `@grpc/grpc-js`
 * that takes and gives bytes.
 */
import { Client, Metadata, credentials } from "@grpc/grpc-js";
import type { ServiceError } from "@grpc/grpc-js";

import { listenGrpc } from "../../../collector/src/receive/grpc/grpc-server.ts";
import type { GrpcListenOptions } from "../../../collector/src/receive/grpc/grpc-server.ts";
import { createLog } from "../../../collector/src/log.ts";
import type { Listening } from "../../../collector/src/http/connections.ts";
import { openHarness } from "./harness.ts";
import type { Harness, HarnessOptions } from "./harness.ts";

export const traceService = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
export const metricsService = "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export";
export const healthCheck = "/grpc.health.v1.Health/Check";

/** What a call ended with. */
export interface GrpcAnswer {
  readonly code: number;
  readonly message: string;
  readonly body: Buffer;
  /** `grpc-status-details-bin`. */
  readonly details: Buffer | undefined;
}

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

/** A client of one address; the caller closes it. */
export function clientOf(port: number): Client {
  return new Client(`127.0.0.1:${port}`, credentials.createInsecure(), {
    "grpc.max_receive_message_length": -1,
  });
}

/** A unary call with bytes for messages. */
export function unary(
  client: Client,
  path: string,
  body: Uint8Array,
  metadata: Record<string, string> = {},
): Promise<GrpcAnswer> {
  const headers = new Metadata();
  for (const [name, value] of Object.entries(metadata)) headers.set(name, value);
  const same = (bytes: Buffer): Buffer => bytes;
  const deadline = Date.now() + 20_000;
  return new Promise((resolve) => {
    const done = (error: ServiceError | null, answer?: Buffer): void => {
      const details = error?.metadata.get("grpc-status-details-bin")[0];
      resolve({
        code: error?.code ?? 0,
        message: error?.details ?? "",
        body: answer ?? Buffer.alloc(0),
        details: Buffer.isBuffer(details) ? details : undefined,
      });
    };
    client.makeUnaryRequest(path, same, same, Buffer.from(body), headers, { deadline }, done);
  });
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
