/**
 * @module OwnTurn: which turn a call without one refers to. Everything started in an asynchronous
 * context inherits it (a listening server, a connection, a job loop), so "the last turn of this
 * context" may belong to another caller. A turn is the caller's own in two cases only: the call is
 * made inside that turn while it runs, or inside a caller's scope in which the turn was begun.
 */
import { AsyncLocalStorage } from "node:async_hooks";

import type { TraceContext } from "@turnproof/instrumentation";

import type { TurnState } from "./turn-state.ts";

/** State of one call of `withCaller` for one agent. */
export interface CallerScope {
  last: TraceContext | undefined;
  /** Turns of this scope that have not ended. */
  running: number;
  /** Tenant, memory and thread of its turns; with two of them there is no last turn any more. */
  place: string | undefined;
  /** True once a turn was begun, whether or not the last one is determined. */
  used: boolean;
  /** False once the function has ended: later work in its context is no caller. */
  open: boolean;
}

type TurnContext = { readonly owner: object; readonly outer: TurnContext | undefined } & (
  | { readonly turn: TurnState; open: boolean }
  | { readonly caller: CallerScope }
);

const storage: AsyncLocalStorage<TurnContext> = new AsyncLocalStorage();

/**
 * Runs `fn` as part of the turn; after `fn` has ended the turn is not the caller's own any more.
 */
export async function runInTurn<T>(state: TurnState, fn: () => Promise<T>): Promise<T> {
  const context = { owner: state.owner, outer: storage.getStore(), turn: state, open: true };
  try {
    return await storage.run(context, fn);
  } finally {
    context.open = false;
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
 * The caller's scope that a turn begun here belongs to. A turn that a tool begins does not belong
 * to the caller of the outer turn, so a turn's context hides the scopes around it.
 */
export function callerScope(owner: object): CallerScope | undefined {
  const context = innermost(storage.getStore(), owner);
  return context !== undefined && "caller" in context && context.caller.open
    ? context.caller
    : undefined;
}

/**
 * The caller's own turn: the one that runs here, or the last of the caller's scope. Undefined when
 * there is none, or when the last one is ambiguous: turns of the scope ran at the same time, or
 * belonged to two users or threads.
 */
export function ownTurn(owner: object): TraceContext | undefined {
  let context = innermost(storage.getStore(), owner);
  // A scope without a turn of its own is skipped; an outer one may have a turn.
  while (
    context !== undefined &&
    "caller" in context &&
    context.caller.open &&
    !context.caller.used
  ) {
    context = innermost(context.outer, owner);
  }
  if (context === undefined) return undefined;
  if ("turn" in context) return context.open ? context.turn.traceContext : undefined;
  return context.caller.open ? context.caller.last : undefined;
}

/** True inside a turn or a caller's scope of the agent, and in everything that inherited one. */
export function hasTurnContext(owner: object): boolean {
  return innermost(storage.getStore(), owner) !== undefined;
}

/** Records that a turn began in the scope; call the result when it has ended. */
export function beginOwn(caller: CallerScope, traceContext: TraceContext): () => void {
  const { userId, memoryId, threadId } = traceContext.identity;
  const place = JSON.stringify([userId ?? null, memoryId, threadId]);
  // Two users or threads are two callers, and records for one must not go to the other's turn.
  const isMixed = caller.used && caller.place !== place;
  const alone = caller.running === 0 && !isMixed;
  caller.place = isMixed ? undefined : place;
  caller.used = true;
  caller.running += 1;
  caller.last = alone ? traceContext : undefined;
  return () => void (caller.running -= 1);
}

function innermost(from: TurnContext | undefined, owner: object): TurnContext | undefined {
  let context = from;
  while (context !== undefined && context.owner !== owner) context = context.outer;
  return context;
}
