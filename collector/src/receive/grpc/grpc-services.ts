/**
 * @module gRPC services: OTLP's three export services over the same intake as OTLP/HTTP, and
 * `grpc.health.v1.Health`. Anything else is UNIMPLEMENTED.
 */
import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";

import { CodedError } from "@turnproof/semconv";

import type { Sockets } from "../../http/sockets.ts";
import type { TurnShare } from "../../http/turn-share.ts";
import { credentialOf } from "../otlp/intake.ts";
import type { Intake } from "../otlp/intake.ts";
import { exportResponse } from "../otlp/otlp-response.ts";
import type { Signal } from "../otlp/wire-schema.ts";
import { GrpcCall } from "./grpc-call.ts";
import { createHealth } from "./grpc-health.ts";
import { readMessage } from "./grpc-message.ts";
import { grpcCode, statusOf } from "./grpc-status.ts";

/** Dependencies of the services. */
export interface GrpcServicesOptions {
  readonly intake: Intake;
  /** True while spans are accepted. */
  readonly serving: () => boolean;
  /** Timeout of one call in milliseconds, whatever its caller allows. */
  readonly requestTimeoutMs: number;
  /** Bounds of the listener; calls of the health service are answered beyond them. */
  readonly sockets: Sockets;
  /** Spreads exports that arrive at once; calls of the health service do not wait for them. */
  readonly share: TurnShare;
}

const service = (name: string, signal: string): string =>
  `opentelemetry.proto.collector.${signal}.v1.${name}`;
const services: { readonly [S in Signal]: string } = {
  traces: service("TraceService", "trace"),
  logs: service("LogsService", "logs"),
  metrics: service("MetricsService", "metrics"),
};
const signalOf: ReadonlyMap<string, Signal> = new Map(
  Object.entries(services).map(([signal, name]) => [`/${name}/Export`, signal as Signal]),
);

/** As over HTTP. */
const headerCharsMax = 8_192;

/** Answers one stream; never throws. */
export type ServeStream = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

/** The services, by their streams. */
export function createGrpcServices(options: GrpcServicesOptions): ServeStream {
  const health = createHealth({ serving: options.serving, names: Object.values(services) });
  return (stream, headers) => {
    // A broken stream has no reader left for an error.
    stream.on("error", () => {});
    const call = new GrpcCall(stream, headers);
    const type = call.metadata("content-type") ?? "";
    if (call.headerChars > headerCharsMax) return call.refuseHttp(431);
    if (headers[":method"] !== "POST") return call.refuseHttp(405);
    if (!/^application\/grpc(?:\+proto)?(?:;|$)/i.test(type)) return call.refuseHttp(415);
    // Requests of pages are refused; browsers cannot use gRPC anyway.
    if (call.metadata("origin") !== undefined) return call.refuseHttp(403);
    call.limit(options.requestTimeoutMs);
    const signal = signalOf.get(call.path);
    const admitted = admit(call, options.sockets);
    if (signal !== undefined && !admitted) call.end(statusOf(new CodedError("overloaded")));
    else if (signal !== undefined) {
      options.share(() => {
        // Its time may have ended, or its client have left, while it waited for its turn.
        if (!call.over) void take(call, signal, options.intake);
      });
    } else if (health.answer(call) === undefined) {
      call.end({ code: grpcCode.unimplemented, message: "There is no such method here." });
    }
  };
}

/** Registers a call with its socket until it ends. */
function admit(call: GrpcCall, sockets: Sockets): boolean {
  const socket = call.stream.session?.socket;
  if (socket === undefined) return true;
  const { admitted, end } = sockets.begin(socket, {
    complete: () => call.over || call.stream.readableEnded,
    cut: (code) => call.end(statusOf(new CodedError(code))),
  });
  call.stream.once("close", end);
  return admitted;
}

/** OTLP's Export: the same intake as over HTTP, answered with a message or a status. */
async function take(call: GrpcCall, signal: Signal, intake: Intake): Promise<void> {
  try {
    const { coding, stream } = call;
    const rejected = await intake.take({
      signal,
      encoding: "protobuf",
      coding,
      sameSite: true,
      credential: credentialOf(call.metadata("authorization"), call.metadata("x-turnproof-token")),
      address: stream.session?.socket.remoteAddress ?? "unknown",
      requestId: randomUUID(),
      read: (reserve) => readMessage(stream, coding ?? "identity", reserve),
    });
    call.reply(exportResponse("protobuf", signal, rejected));
  } catch (error) {
    call.end(statusOf(CodedError.is(error) ? error : new CodedError("internal_error")));
  }
}
