/**
 * @module Edge: what is decided on the raw request, before routing and before anything is built
 * from it: which Host we are, and that the target is the canonical spelling of a path (faults W2,
 * W3). Malformed messages never get here; Node's strict parser answers them.
 */
import type { IncomingMessage } from "node:http";

import type { Code } from "@turnproof/semconv";

import { isLoopback } from "../config/config.ts";

/** Names under which a loopback collector is reached. */
const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];

/** Decides on a raw request: the code to refuse it with, or undefined. */
export type EdgeRule = (request: IncomingMessage) => Code | undefined;

/** Names that the edge answers to, beside the address that it listens on. */
export interface EdgeOptions {
  /** Address to listen on. */
  readonly host: string;
  /** Further names, with or without a port, such as those of the configured origins. */
  readonly names?: readonly string[];
}

/** True for an address that only this machine can reach; anything else needs a token (W1). */
export function isLoopbackHost(host: string): boolean {
  return isLoopback(host);
}

/** The rule of an address; compiled once. */
export function createEdge(options: EdgeOptions): EdgeRule {
  const names = new Set(loopbackNames);
  for (const name of [options.host, ...(options.names ?? [])]) {
    names.add(hostName(bracketed(name)) ?? name.toLowerCase());
  }
  return (request) => {
    const path = refusePath(request.url ?? "");
    return refuseHost(request.rawHeaders, names) ?? path;
  };
}

/** An IPv6 address stands in brackets in a Host. */
function bracketed(name: string): string {
  return name.includes("::") && !name.startsWith("[") ? `[${name}]` : name;
}

/** Name of a Host value without its port, in lower case; undefined when it is none. */
function hostName(value: string): string | undefined {
  const match = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9_](?:[a-z0-9_.-]{0,252}[a-z0-9_])?)(?::\d{1,5})?$/i;
  return match.exec(value)?.[1]?.toLowerCase();
}

/** Exactly one Host, and one of ours; a second one is somebody's attempt at confusion. */
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

/** Spellings that mean the same place to one reader and another place to the next. */
const confusing = /\/\/|\\|;|\.\.|\/\.(?:\/|$)|#|%(?:2f|5c|00|2e|3b|25|0a|0d)/i;
const wellFormed = /^\/(?:[\x21\x24\x26-\x7e]|%[0-9a-f]{2})*$/i;

/** Origin-form targets in canonical spelling only; what follows `?` is the routes' matter. */
function refusePath(target: string): Code | undefined {
  const end = target.indexOf("?");
  const path = end === -1 ? target : target.slice(0, end);
  return wellFormed.test(path) && !confusing.test(path) ? undefined : "path_refused";
}
