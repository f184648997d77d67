/** @module gRPC client: a client of `@grpc/grpc-js` that takes and gives bytes. */
import { Client, Metadata, credentials } from "@grpc/grpc-js";
import type { ServiceError } from "@grpc/grpc-js";

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
