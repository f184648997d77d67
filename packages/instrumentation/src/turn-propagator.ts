/**
 * @module TurnPropagator: carries a turn over HTTP beside other people's baggage (design 3.5). It
 * wraps the baggage propagator, because two writers of one header would overwrite each other, and
 * it writes only inside {@link propagateTurn}, because `inject` cannot see where a request goes and
 * identity must not leak to third parties.
 */
import { createContextKey, diag, isSpanContextValid, propagation, trace } from "@opentelemetry/api";
import type { Context, TextMapGetter, TextMapPropagator, TextMapSetter } from "@opentelemetry/api";
import { limits } from "@turnproof/semconv";

import { activeContext, runIn } from "./active-context.ts";
import { isOwnMember, readMembers, writeMembers } from "./carrier.ts";
import { fromContent, TraceContext } from "./trace-context.ts";

const allowKey = createContextKey("turnproof.propagate-turn");
const receivedKey = createContextKey("turnproof.received-turn");
const header = "baggage";

/** Requests made inside `fn` may carry the active turn's identity. */
export function propagateTurn<T>(fn: () => T): T {
  return runIn(activeContext().setValue(allowKey, true), fn);
}

/**
 * The turn that an incoming request carried, if it carried a whole one. It is not active and it is
 * not a credential: compare it with the authenticated caller, then use `turn.with(fn)`.
 */
export function receivedTurn(from: Context = activeContext()): TraceContext | undefined {
  const found = from.getValue(receivedKey);
  return found instanceof TraceContext ? found : undefined;
}

/** Propagates the turn together with whatever baggage the inner propagator carries. */
export class TurnPropagator implements TextMapPropagator {
  readonly #inner: TextMapPropagator;

  /** @param inner the propagator that owns the `baggage` header, e.g. `W3CBaggagePropagator` */
  constructor(inner: TextMapPropagator) {
    this.#inner = inner;
  }

  inject(from: Context, carrier: unknown, setter: TextMapSetter): void {
    let foreign = "";
    this.#inner.inject(from, carrier, {
      set: (target, key, value) => {
        if (key.toLowerCase() === header) foreign = withoutOwn(value);
        else setter.set(target, key, value);
      },
    });
    const own = from.getValue(allowKey) === true ? ownMembersOf(from) : "";
    const both = [foreign, own].filter((part) => part !== "").join(",");
    // Beyond the standard's limits a reader cuts the end off: half a turn is worth nothing.
    const value = isTransportable(both) ? both : foreign;
    if (value !== "") setter.set(carrier, header, value);
  }

  extract(from: Context, carrier: unknown, getter: TextMapGetter): Context {
    const inner = this.#inner.extract(from, carrier, getter);
    const baggage = propagation.getBaggage(inner);
    if (baggage === undefined) return inner;
    const own = baggage.getAllEntries().filter(([name]) => isOwnMember(name));
    if (own.length === 0) return inner;
    // Ours never stay among the foreign members, or the next `inject` would forward them.
    const cleaned = propagation.setBaggage(
      inner,
      baggage.removeEntries(...own.map(([name]) => name)),
    );
    const span = trace.getSpanContext(inner);
    if (span === undefined || !isSpanContextValid(span)) return cleaned;
    // A reader keeps one of two members of a name; which of them is true, nobody can say.
    if (ownMembers(getter.get(carrier, header)) > own.length) return cleaned;
    try {
      const identity = readMembers(own.map(([name, { value }]) => [name, value] as const));
      const { traceId, spanId, traceFlags } = span;
      return cleaned.setValue(
        receivedKey,
        fromContent({ traceId, spanId, traceFlags, ...identity }),
      );
    } catch {
      // W3C: what cannot be understood is left out; the request goes on without a turn.
      return cleaned;
    }
  }

  fields(): string[] {
    return [...new Set([...this.#inner.fields(), header])];
  }
}

const memberName = (member: string): string => (member.split("=", 1)[0] ?? "").trim();

/** The members of others: ours leave only inside `propagateTurn`, and as the active turn says. */
function withoutOwn(value: string): string {
  return value
    .split(",")
    .filter((member) => !isOwnMember(memberName(member)))
    .join(",");
}

/** How many members of ours a header holds, repeated ones included. */
function ownMembers(value: string | readonly string[] | undefined): number {
  const members = [value ?? []].flat().flatMap((part) => part.split(","));
  return members.filter((member) => isOwnMember(memberName(member))).length;
}

/** W3C Baggage 3.3.2, and the number of members that OpenTelemetry's readers take. */
function isTransportable(value: string): boolean {
  return (
    value.length <= limits.carrierBytesMax && value.split(",").length <= limits.baggageMembersMax
  );
}

/** What a request's own header held, and what was written for it; never by half. */
function joined(given: string, written: string): string {
  if (written === "" || written === given) return given;
  const both = `${given},${written}`;
  return isTransportable(both) ? both : given;
}

/** The members of the turn that is active there; a request goes on without what cannot be written. */
function ownMembersOf(from: Context): string {
  try {
    const turn = TraceContext.active(from);
    return turn === undefined ? "" : writeMembers(membersOf(turn));
  } catch {
    diag.warn("turnproof: carrier_invalid_value");
    return "";
  }
}

function membersOf(turn: TraceContext): Parameters<typeof writeMembers>[0] {
  const causedBy = turn.causedBy === undefined ? {} : { causedBy: turn.causedBy };
  return { ...turn.identity, ...causedBy };
}

/** The host that a request goes to; empty for what has none. */
function hostOf(input: string | URL | Request): string {
  const given = input instanceof Request ? input.url : String(input);
  return URL.canParse(given) ? new URL(given).hostname : "";
}

/** Hosts that may learn a turn's identity, exactly or by a leading dot for their sub-domains. */
export interface PropagatingFetchOptions {
  readonly allow: readonly string[];
  readonly fetch?: typeof globalThis.fetch;
}

/**
 * A `fetch` that carries the active turn to allowed hosts and to nobody else. It sets `traceparent`
 * and `baggage` through the global propagator.
 */
export function turnFetch(options: PropagatingFetchOptions): typeof globalThis.fetch {
  const send = options.fetch ?? globalThis.fetch;
  // The host of a URL is in lower case, however it was written.
  const allow = options.allow.map((entry) => entry.toLowerCase());
  const allowed = (host: string): boolean =>
    allow.some((entry) => (entry.startsWith(".") ? host.endsWith(entry) : host === entry));
  return async (input, init) => {
    // What is not for an allowed host, or no address at all, is none of ours.
    if (!allowed(hostOf(input))) return send(input, init);
    const request = new Request(input, init);
    const headers = new Headers(request.headers);
    const given = withoutOwn(headers.get(header) ?? "");
    propagateTurn(() =>
      propagation.inject(activeContext(), headers, { set: (h, key, value) => h.set(key, value) }),
    );
    if (given !== "") headers.set(header, joined(given, headers.get(header) ?? ""));
    // A redirect could lead identity to a host that is not allowed, so none is followed blindly.
    return send(new Request(request, { headers, redirect: "manual" }));
  };
}
