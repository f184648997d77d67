/**
 * @module Reconnecting: a resource on a server that may be unreachable at the start. Opening is
 * retried; until it succeeds, a call fails at once with the reason.
 */
import { setTimeout as sleep } from "node:timers/promises";

import { CodedError } from "@turnproof/semconv";
import type { Code } from "@turnproof/semconv";

import type { Log } from "../log.ts";
import { reasonWords } from "./store-reason.ts";

/** What is opened, and its name in the log. */
export interface ReconnectingOptions<T> {
  readonly open: () => Promise<T>;
  /** `store` or `memory`. */
  readonly part: string;
  readonly backend: string;
  /** Host and port, without credentials. */
  readonly host: string;
  readonly log: Log;
  /** How long the start waits for the first attempt, in milliseconds. */
  readonly waitMs?: number;
}

/** A resource that may not be open yet. */
export interface Reconnecting<T> {
  /** The opened resource. @throws CodedError `store_unavailable` while there is none */
  current(): T;
  /** The last failure, while it is not open. */
  failure(): CodedError | undefined;
  /** Resolves when it is open; not at all when it is closed before. */
  readonly opened: Promise<T>;
  /** Stops retrying and closes what is open. */
  close(): Promise<void>;
}

/** A resource that can be opened late. */
export interface Closable {
  close(): Promise<void>;
}

const waitMsDefault = 3_000;
/** Longest pause between two attempts, and the first one. */
const pauseMsMax = 5_000;
const pauseFirstMs = 250;

/** Errors that retrying cannot resolve: reported at the start, which then fails. */
const hopeless: ReadonlySet<Code> = new Set([
  "config_invalid",
  "not_configured",
  "store_locked",
  "store_version_newer",
  "store_refused_statement",
  "store_corrupt",
]);

/**
 * Opens it. Resolves when it is open or when the start need not wait any longer.
 *
 * @throws CodedError of the first attempt when retrying cannot resolve it
 */
export async function openReconnecting<T extends Closable>(
  options: ReconnectingOptions<T>,
): Promise<Reconnecting<T>> {
  const { open, log, part, backend, host, waitMs = waitMsDefault } = options;
  const stop = new AbortController();
  const opened = Promise.withResolvers<T>();
  const first = Promise.withResolvers<void>();
  const state: { value?: T; failure?: CodedError } = {};
  const reported = (error: CodedError): void => {
    const { code, field } = error;
    const isSame = state.failure?.code === code && state.failure.field === field;
    state.failure = error;
    if (isSame) return;
    const reason = reasonWords({ code, field, isServer: true });
    log.warn(`${part}_away`, {
      backend,
      host,
      code,
      ...(field === undefined ? {} : { field }),
      reason,
    });
  };
  const tries = async (): Promise<void> => {
    for (let attempt = 0; !stop.signal.aborted; attempt += 1) {
      try {
        const value = await open();
        if (stop.signal.aborted) return await value.close();
        state.value = value;
        if (attempt > 0) log.info(`${part}_opened`, { backend, host });
        delete state.failure;
        opened.resolve(value);
        return first.resolve();
      } catch (error) {
        const coded = CodedError.is(error) ? error : new CodedError("store_unavailable");
        reported(coded);
        if (hopeless.has(coded.code)) first.reject(coded);
        first.resolve();
        const ceiling = Math.min(pauseMsMax, pauseFirstMs * 2 ** Math.min(attempt, 10));
        const pauseMs = ceiling * (0.5 + Math.random() / 2);
        // The wait ends early when it is stopped.
        await sleep(pauseMs, undefined, { signal: stop.signal, ref: false }).catch(() => {});
      }
    }
  };
  void tries();
  // The wait ends early when it is stopped.
  const enough = sleep(waitMs, undefined, { signal: stop.signal, ref: false }).catch(() => {});
  try {
    await Promise.race([first.promise, enough]);
  } catch (error) {
    stop.abort();
    throw error;
  }
  if (state.value === undefined && state.failure === undefined) {
    // No error and no answer yet: the attempt continues.
    reported(new CodedError("store_timeout"));
  }
  return {
    current: () => {
      if (state.value === undefined) {
        const { field } = state.failure ?? {};
        throw new CodedError("store_unavailable", field === undefined ? {} : { field });
      }
      return state.value;
    },
    failure: () => state.failure,
    opened: opened.promise,
    async close() {
      stop.abort();
      await state.value?.close();
    },
  };
}
