/**
 * @module Calls: calls between two threads over one port. Arguments and results are plain data; of
 * an error only the code is transferred.
 */
import { CodedError, codes } from "@turnproof/semconv";
import type { Code } from "@turnproof/semconv";

/** A port: a worker, seen from outside, or the parent's port, seen from inside. */
export interface Port {
  postMessage(message: unknown, transfer?: readonly ArrayBuffer[]): void;
  on(event: "message", listener: (message: unknown) => void): unknown;
}

/** A result, and the parts of it that are transferred instead of copied. */
export interface Answered {
  readonly value: unknown;
  readonly transfer?: readonly ArrayBuffer[];
}

/** Functions of one side, by name. */
export type Handlers = Readonly<
  Record<string, (argument: never, signal: AbortSignal) => Promise<Answered>>
>;

/** One end of a port. */
export interface Calls {
  /** Calls the other side. @throws CodedError of the other side, or `overloaded` when it ended */
  request<T>(
    name: string,
    argument: unknown,
    options?: {
      readonly signal?: AbortSignal | undefined;
      readonly transfer?: readonly ArrayBuffer[];
    },
  ): Promise<T>;
  /** Calls without a result yet. */
  readonly waiting: number;
  /** Rejects all pending calls. */
  end(): void;
}

type ThreadMessage =
  | { readonly request: number; readonly name: string; readonly argument: unknown }
  | { readonly answer: number; readonly value: unknown }
  | { readonly failed: number; readonly code: string; readonly field?: string }
  | { readonly cancel: number };

/** Connects to a port; both sides may call. */
export function connectCalls(port: Port, handlers: Handlers): Calls {
  const requested = new Map<number, PromiseWithResolvers<unknown>>();
  const answering = new Map<number, AbortController>();
  let next = 0;
  let ended = false;
  const answer = async (id: number, name: string, argument: unknown): Promise<void> => {
    const stop = new AbortController();
    answering.set(id, stop);
    try {
      const handler = handlers[name];
      if (handler === undefined) throw new CodedError("internal_error");
      const { value, transfer } = await handler(argument as never, stop.signal);
      port.postMessage({ answer: id, value }, transfer);
    } catch (error) {
      const { code, field } = CodedError.is(error)
        ? error
        : { code: "internal_error", field: undefined };
      port.postMessage({ failed: id, code, ...(field === undefined ? {} : { field }) });
    } finally {
      answering.delete(id);
    }
  };
  const settle = (id: number): PromiseWithResolvers<unknown> | undefined => {
    const known = requested.get(id);
    requested.delete(id);
    return known;
  };
  port.on("message", (given) => {
    const message = given as ThreadMessage;
    if ("request" in message) void answer(message.request, message.name, message.argument);
    else if ("answer" in message) settle(message.answer)?.resolve(message.value);
    else if ("cancel" in message) answering.get(message.cancel)?.abort();
    else settle(message.failed)?.reject(codedOf(message));
  });
  return {
    async request<T>(
      name: string,
      argument: unknown,
      options: {
        readonly signal?: AbortSignal | undefined;
        readonly transfer?: readonly ArrayBuffer[];
      } = {},
    ): Promise<T> {
      if (ended) throw new CodedError("overloaded");
      const { signal, transfer } = options;
      const id = next;
      next += 1;
      const waiting = Promise.withResolvers<unknown>();
      requested.set(id, waiting);
      const cancel = (): void => port.postMessage({ cancel: id });
      port.postMessage({ request: id, name, argument }, transfer);
      signal?.addEventListener("abort", cancel, { once: true });
      try {
        return (await waiting.promise) as T;
      } finally {
        signal?.removeEventListener("abort", cancel);
      }
    },
    get waiting() {
      return requested.size;
    },
    end() {
      ended = true;
      for (const id of requested.keys()) settle(id)?.reject(new CodedError("overloaded"));
      for (const stop of answering.values()) stop.abort();
    },
  };
}

function codedOf({ code, field }: { readonly code: string; readonly field?: string }): CodedError {
  const known: Code = Object.hasOwn(codes, code) ? (code as Code) : "internal_error";
  return new CodedError(known, field === undefined ? {} : { field });
}
