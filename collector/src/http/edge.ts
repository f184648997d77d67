/**
 * @module Edge: checks of the raw request, before routing: the peer may send over plain HTTP, the
 * Host is ours, and the target is the canonical spelling of a path (faults W2, W3). Malformed
 * messages never get here; Node's strict parser refuses them.
 */
import type { IncomingMessage } from "node:http";

import type { Code } from "@turnproof/semconv";

/** Host names of a loopback collector. */
const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];

/** Checks a raw request: the code to refuse it with, or undefined. */
export type EdgeRule = (request: IncomingMessage) => Code | undefined;

/** Accepted host names, beside the listening address. */
export interface EdgeOptions {
  /** Address to listen on. */
  readonly host: string;
  /** Further names, with or without a port, such as those of the configured origins. */
  readonly names?: readonly string[];
  /** Whether a peer may send over plain HTTP; default: every peer. */
  readonly admits?: ((peer: string | undefined) => boolean) | undefined;
}

/** The rule of an address; compiled once. */
export function createEdge(options: EdgeOptions): EdgeRule {
  const names = new Set(loopbackNames);
  for (const name of [options.host, ...(options.names ?? [])]) {
    names.add(hostName(bracketed(name)) ?? name.toLowerCase());
  }
  return (request) => {
    if (options.admits?.(request.socket.remoteAddress) === false) return "plain_http_refused";
    const path = refusePath(request.url ?? "");
    return refuseHost(request.rawHeaders, names) ?? path;
  };
}

/** An IPv6 address is in brackets in a Host. */
function bracketed(name: string): string {
  return name.includes("::") && !name.startsWith("[") ? `[${name}]` : name;
}

/** Name in a Host value without its port, in lower case; undefined when it is invalid. */
function hostName(value: string): string | undefined {
  const match = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9_](?:[a-z0-9_.-]{0,252}[a-z0-9_])?)(?::\d{1,5})?$/i;
  return match.exec(value)?.[1]?.toLowerCase();
}

/** Exactly one Host, and one of ours; a second one could be read differently by a proxy. */
function refuseHost(rawHeaders: readonly string[], names: ReadonlySet<string>): Code | undefined {
  let host: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() !== "host") continue;
    if (host !== undefined) return "host_refused";
    host = rawHeaders[index + 1];
  }
  const name = hostName(host ?? "");
  return name !== undefined && names.has(name) ? undefined : "host_refused";
}

/** Spellings that different readers resolve to different paths. */
const confusing = /\/\/|\\|;|\.\.|\/\.(?:\/|$)|#|%(?:2f|5c|00|2e|3b|25|0a|0d)/i;
const wellFormed = /^\/(?:[\x21\x24\x26-\x7e]|%[0-9a-f]{2})*$/i;

/** Origin-form targets in canonical spelling only; the routes check what follows `?`. */
function refusePath(target: string): Code | undefined {
  const end = target.indexOf("?");
  const path = end === -1 ? target : target.slice(0, end);
  return wellFormed.test(path) && !confusing.test(path) ? undefined : "path_refused";
}
