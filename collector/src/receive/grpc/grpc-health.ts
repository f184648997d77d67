/**
 * @module gRPC health: `grpc.health.v1.Health`, for load balancers and orchestrators. It needs no
 * token, like `/healthz`: it only returns whether spans are accepted.
 */
import { CodedError } from "@turnproof/semconv";

import { ByteBudget } from "../otlp/byte-budget.ts";
import { uintField } from "../otlp/proto-writer.ts";
import type { GrpcCall } from "./grpc-call.ts";
import { readMessage } from "./grpc-message.ts";
import { grpcCode, statusOf } from "./grpc-status.ts";

const checkPath = "/grpc.health.v1.Health/Check";
const watchPath = "/grpc.health.v1.Health/Watch";
const status = { serving: 1, notServing: 2, serviceUnknown: 3 } as const;

/** Bytes of a request: one name. */
const requestBytesMax = 1_024;
/** Most concurrent watchers; each holds a stream for any length of time. */
const watchersMax = 32;
/** How often a watcher's state is checked. */
const lookMs = 1_000;

/** Services and their state. */
export interface GrpcHealthOptions {
  readonly serving: () => boolean;
  /** Services that exist, beside the whole server (""). */
  readonly names: readonly string[];
}

/** Answers calls of the health service. */
export interface Health {
  /** Answers, or returns undefined when the path is not one of its methods. */
  answer(call: GrpcCall): Promise<void> | undefined;
}

/** Makes the service. */
export function createHealth({ names, serving }: GrpcHealthOptions): Health {
  const known = new Set(["", "grpc.health.v1.Health", ...names]);
  let watchers = 0;
  const now = (): number => (serving() ? status.serving : status.notServing);

  async function check(call: GrpcCall): Promise<void> {
    const name = await requestedName(call);
    if (name === undefined) return;
    if (known.has(name)) call.reply(uintField(1, now()));
    else call.end({ code: grpcCode.notFound, message: "There is no such service here." });
  }

  async function watch(call: GrpcCall): Promise<void> {
    if (watchers >= watchersMax) return call.end(statusOf(new CodedError("overloaded")));
    watchers++;
    call.stream.once("close", () => watchers--);
    const name = await requestedName(call);
    if (name === undefined || call.over) return;
    const write = call.begin();
    let last: number | undefined;
    const look = (): void => {
      const current = known.has(name) ? now() : status.serviceUnknown;
      if (current === last) return;
      last = current;
      // A client that does not read such a rare message is gone.
      if (!write(uintField(1, current))) call.stream.destroy();
    };
    look();
    const timer = setInterval(look, lookMs).unref();
    call.stream.once("close", () => clearInterval(timer));
  }

  return {
    answer(call) {
      if (call.path === checkPath) return check(call);
      return call.path === watchPath ? watch(call) : undefined;
    },
  };
}

/** The requested service; undefined when the call was ended because it cannot be read. */
async function requestedName(call: GrpcCall): Promise<string | undefined> {
  try {
    const budget = new ByteBudget(requestBytesMax);
    const { bytes } = await readMessage(call.stream, "identity", (length) =>
      budget.take("health", length),
    );
    return serviceName(bytes);
  } catch (error) {
    call.end(statusOf(CodedError.is(error) ? error : new CodedError("internal_error")));
    return undefined;
  }
}

/** HealthCheckRequest { service = 1 }; its name is at most 127 bytes. */
function serviceName(bytes: Uint8Array): string {
  const length = bytes[1] ?? 0;
  if (bytes.byteLength === 0) return "";
  if (bytes[0] !== 0x0a || length > 127 || bytes.byteLength !== length + 2) {
    throw new CodedError("otlp_malformed");
  }
  return Buffer.from(bytes.subarray(2)).toString("utf8");
}
