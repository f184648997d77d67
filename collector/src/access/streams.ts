/**
 * @module Streams: open event streams by principal. A stream ends when its session ends or its
 * account changes, and the number per principal is bounded.
 */
import { CodedError } from "@turnproof/semconv";
import type { Code } from "@turnproof/semconv";

import { scopeKey } from "./grants.ts";
import type { Credentials } from "./credentials.ts";
import type { Principal } from "./principal.ts";
import type { Sessions } from "./sessions.ts";

/** Owner of a stream. */
export interface StreamHolder {
  readonly principal: Principal;
  /** Digest of the credential; absent for the local admin of an open loopback. */
  readonly credential?: string;
  /** Id of the session; absent for a Bearer token. */
  readonly session?: string;
}

/** An open stream. */
export interface HeldStream {
  /** Aborts when the stream has to end; the reason is the code for the reader, if any. */
  readonly signal: AbortSignal;
  release(): void;
}

/** The open streams of one collector. */
export interface Streams {
  /**
   * Adds a stream.
   *
   * @throws CodedError `streams_full` when its principal, or all principals together, reach the
   * bound
   */
  hold(holder: StreamHolder): HeldStream;
  /** Ends the streams whose session or account was removed or changed. */
  review(): void;
  readonly size: number;
  close(): void;
}

/** Dependencies of streams. */
export interface StreamsOptions {
  readonly sessions: Sessions;
  readonly credentials: Credentials;
  /** Aborted when the collector closes. */
  readonly closing: AbortSignal;
  readonly perPrincipalMax?: number;
  readonly allMax?: number;
  /** Longest delay until an expiry is noticed, in milliseconds. */
  readonly reviewMs?: number;
}

const defaults = { perPrincipalMax: 24, allMax: 256, reviewMs: 1_000 } as const;

interface Entry {
  readonly holder: StreamHolder;
  readonly end: AbortController;
}

/** The streams of one collector; a timer runs only while one is open. */
export function createStreams(options: StreamsOptions): Streams {
  const { sessions, credentials, closing } = options;
  const { perPrincipalMax, allMax, reviewMs } = { ...defaults, ...options };
  const entries = new Set<Entry>();
  let timer: NodeJS.Timeout | undefined;
  const review = (): void => {
    for (const { holder, end } of entries) {
      if (!isCurrent(holder, sessions, credentials)) end.abort("session_ended" satisfies Code);
    }
  };
  const endAll = (): void => {
    for (const { end } of entries) end.abort();
  };
  let looking = false;
  const look = async (): Promise<void> => {
    // A slow store has one round at a time.
    if (looking) return;
    looking = true;
    try {
      await sessions.refresh([...entries].flatMap(({ holder }) => holder.session ?? []));
      review();
    } finally {
      looking = false;
    }
  };
  // A logout here ends its streams at once; an expiry, or a logout at another collector, waits for
  // the timer.
  const stop = sessions.onEnded(review);
  closing.addEventListener("abort", endAll, { once: true });
  return {
    hold(holder) {
      const own = [...entries].filter((entry) => isSame(entry.holder, holder)).length;
      if (own >= perPrincipalMax || entries.size >= allMax) throw new CodedError("streams_full");
      const entry: Entry = { holder, end: new AbortController() };
      entries.add(entry);
      if (closing.aborted) entry.end.abort();
      timer ??= setInterval(() => void look(), reviewMs).unref();
      return {
        signal: entry.end.signal,
        release: () => {
          entries.delete(entry);
          if (entries.size > 0) return;
          clearInterval(timer);
          timer = undefined;
        },
      };
    },
    review,
    get size() {
      return entries.size;
    },
    close: () => {
      stop();
      closing.removeEventListener("abort", endAll);
      endAll();
      clearInterval(timer);
    },
  };
}

function isSame(a: StreamHolder, b: StreamHolder): boolean {
  return a.principal.name === b.principal.name;
}

function isCurrent(holder: StreamHolder, sessions: Sessions, credentials: Credentials): boolean {
  if (holder.session !== undefined && !sessions.alive(holder.session)) return false;
  if (holder.credential === undefined) return true;
  const { principal, credential } = holder;
  const now = credentials.byName(principal.name, credential, principal);
  return now !== undefined && scopeKey({ ...now, via: principal.via }) === scopeKey(principal);
}
