/**
 * @module TurnPropagator: carries a turn over HTTP beside foreign baggage (vocabulary: Carrier). It
 * wraps the baggage propagator, because two writers of one header would overwrite each other. It
 * writes only inside {@link propagateTurn}: `inject` cannot see the destination of a request, and
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
 * The turn of an incoming request, if the request carries a complete one. It is not active and not
 * a credential: compare it with the authenticated caller, then use `turn.with(fn)`.
 */
export function receivedTurn(from: Context = activeContext()): TraceContext | undefined {
  const found = from.getValue(receivedKey);
  return found instanceof TraceContext ? found : undefined;
}

/** Propagates the turn together with the baggage of the inner propagator. */
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
    // Readers truncate a header beyond the standard's limits, and a truncated turn is useless.
    const value = isTransportable(both) ? both : foreign;
    if (value !== "") setter.set(carrier, header, value);
  }

  extract(from: Context, carrier: unknown, getter: TextMapGetter): Context {
    const inner = this.#inner.extract(from, carrier, getter);
    const baggage = propagation.getBaggage(inner);
    if (baggage === undefined) return inner;
    const own = baggage.getAllEntries().filter(([name]) => isOwnMember(name));
    if (own.length === 0) return inner;
    // Our members are removed from the foreign ones, or the next `inject` would forward them.
    const cleaned = propagation.setBaggage(
      inner,
      baggage.removeEntries(...own.map(([name]) => name)),
    );
    const span = trace.getSpanContext(inner);
    if (span === undefined || !isSpanContextValid(span)) return cleaned;
    // A reader keeps one of two members with the same name; which one is correct is unknown.
    if (ownMembers(getter.get(carrier, header)) > own.length) return cleaned;
    try {
      const identity = readMembers(own.map(([name, { value }]) => [name, value] as const));
      const { traceId, spanId, traceFlags } = span;
      return cleaned.setValue(
        receivedKey,
        fromContent({ traceId, spanId, traceFlags, ...identity }),
      );
    } catch {
      // W3C: members that cannot be parsed are left out; the request continues without a turn.
      return cleaned;
    }
  }

  fields(): string[] {
    return [...new Set([...this.#inner.fields(), header])];
  }
}

const memberName = (member: string): string => (member.split("=", 1)[0] ?? "").trim();

/** The foreign members. Ours are written only inside `propagateTurn`, from the active turn. */
function withoutOwn(value: string): string {
  return value
    .split(",")
    .filter((member) => !isOwnMember(memberName(member)))
    .join(",");
}

/** How many of our members a header holds, repeated ones included. */
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

/** Joins the request's own header and the written one; all or nothing. */
function joined(given: string, written: string): string {
  if (written === "" || written === given) return given;
  const both = `${given},${written}`;
  return isTransportable(both) ? both : given;
}

/** The members of the active turn; empty when they cannot be written. */
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

/** The host of a request; empty when it has none. */
function hostOf(input: string | URL | Request): string {
  const given = input instanceof Request ? input.url : String(input);
  return URL.canParse(given) ? new URL(given).hostname : "";
}

/** Hosts that receive a turn's identity: exact names, or a leading dot for sub-domains. */
export interface PropagatingFetchOptions {
  readonly allow: readonly string[];
  readonly fetch?: typeof globalThis.fetch;
}

/**
 * A `fetch` that sends the active turn to allowed hosts only. It sets `traceparent` and `baggage`
 * through the global propagator.
 */
export function turnFetch(options: PropagatingFetchOptions): typeof globalThis.fetch {
  const send = options.fetch ?? globalThis.fetch;
  // The host of a URL is always in lower case, so the list is too.
  const allow = options.allow.map((entry) => entry.toLowerCase());
  const allowed = (host: string): boolean =>
    allow.some((entry) => (entry.startsWith(".") ? host.endsWith(entry) : host === entry));
  return async (input, init) => {
    // Requests to other hosts, or without a valid URL, are passed on unchanged.
    if (!allowed(hostOf(input))) return send(input, init);
    const request = new Request(input, init);
    const headers = new Headers(request.headers);
    const given = withoutOwn(headers.get(header) ?? "");
    propagateTurn(() =>
      propagation.inject(activeContext(), headers, { set: (h, key, value) => h.set(key, value) }),
    );
    if (given !== "") headers.set(header, joined(given, headers.get(header) ?? ""));
    // A redirect could send identity to a host that is not allowed, so redirects are not followed.
    return send(new Request(request, { headers, redirect: "manual" }));
  };
}
