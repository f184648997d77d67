/**
 * @module OwnTurn: which turn a call means when it names none. An asynchronous context is inherited
 * by everything that begins in it — a server that listens, a connection, a job loop — so "the last
 * turn of this context" may be anybody's. Two things only make a turn the caller's own: the call is
 * made inside that turn while it runs, or inside a caller's scope in which that turn was begun.
 */
import { AsyncLocalStorage } from "node:async_hooks";

import type { TraceContext } from "@turnproof/instrumentation";

import type { TurnState } from "./turn-state.ts";

/** What one call of `withCaller` has seen of one agent. */
export interface CallerScope {
  last: TraceContext | undefined;
  /** Turns of this scope that have not ended. */
  running: number;
  /** Tenant, memory and thread of its turns; once they are of two, there is no last turn any more. */
  place: string | undefined;
  /** True once a turn was begun, whether or not it can be told which is the last. */
  used: boolean;
  /** False once the function ended: what goes on in its context later is no caller any more. */
  open: boolean;
}

type Frame = { readonly owner: object; readonly outer: Frame | undefined } & (
  | { readonly turn: TurnState; open: boolean }
  | { readonly caller: CallerScope }
);

const storage: AsyncLocalStorage<Frame> = new AsyncLocalStorage();

/** Runs `fn` as part of the turn; the turn is nobody's own once `fn` has ended. */
export async function inTurn<T>(state: TurnState, fn: () => Promise<T>): Promise<T> {
  const frame = { owner: state.owner, outer: storage.getStore(), turn: state, open: true };
  try {
    return await storage.run(frame, fn);
  } finally {
    frame.open = false;
  }
}

/** Runs `fn` as one caller of the agent. */
export async function inCallerScope<T>(owner: object, fn: () => Promise<T> | T): Promise<T> {
  const caller: CallerScope = {
    last: undefined,
    place: undefined,
    running: 0,
    used: false,
    open: true,
  };
  try {
    return await storage.run({ owner, outer: storage.getStore(), caller }, async () => fn());
  } finally {
    caller.open = false;
  }
}

/**
 * The caller's scope that a turn begun here belongs to. A turn that another turn's tool begins is
 * not the turn of whoever called that other turn, so a frame of a turn hides the scopes around it.
 */
export function callerScope(owner: object): CallerScope | undefined {
  const frame = innermost(storage.getStore(), owner);
  return frame !== undefined && "caller" in frame && frame.caller.open ? frame.caller : undefined;
}

/**
 * The caller's own turn: the one that runs here, or the last of the caller's scope. Undefined when
 * there is none, or when turns of the scope ran at the same time, or were of two users or threads,
 * and none is *the* last.
 */
export function ownTurn(owner: object): TraceContext | undefined {
  let frame = innermost(storage.getStore(), owner);
  // A scope without a turn of its own says nothing; what it lies in may.
  while (frame !== undefined && "caller" in frame && frame.caller.open && !frame.caller.used) {
    frame = innermost(frame.outer, owner);
  }
  if (frame === undefined) return undefined;
  if ("turn" in frame) return frame.open ? frame.turn.traceContext : undefined;
  return frame.caller.open ? frame.caller.last : undefined;
}

/** True inside a turn or a caller's scope of the agent, and in all that inherited one of them. */
export function hasFrame(owner: object): boolean {
  return innermost(storage.getStore(), owner) !== undefined;
}

/** Notes that a turn began in the scope; call the result when it has ended. */
export function beginOwn(caller: CallerScope, traceContext: TraceContext): () => void {
  const { userId, memoryId, threadId } = traceContext.identity;
  const place = JSON.stringify([userId ?? null, memoryId, threadId]);
  // Two users or threads are two callers: what follows the turn of one may be said of the other's.
  const isMixed = caller.used && caller.place !== place;
  const alone = caller.running === 0 && !isMixed;
  caller.place = isMixed ? undefined : place;
  caller.used = true;
  caller.running += 1;
  caller.last = alone ? traceContext : undefined;
  return () => void (caller.running -= 1);
}

function innermost(from: Frame | undefined, owner: object): Frame | undefined {
  let frame = from;
  while (frame !== undefined && frame.owner !== owner) frame = frame.outer;
  return frame;
}
