/**
 * @module Client address: from which peers a request is taken over plain HTTP, and the address of
 * the client behind a declared proxy (security: Principals).
 */
import { BlockList, isIP, isIPv6 } from "node:net";

import { isLoopback } from "../config/loopback.ts";
import { addNetwork } from "../config/proxy-networks.ts";
import type { DeclaredProxy } from "../config/proxy-networks.ts";

/** Which peers may send, and who sends through them. */
export interface ClientNetwork {
  /** Whether a peer is on this machine or a declared proxy. */
  readonly admits: (peer: string | undefined) => boolean;
  /**
   * The client's address: the last one in `X-Forwarded-For` that is no declared proxy, where the
   * peer is one; else the peer's own.
   */
  readonly clientOf: (
    peer: string | undefined,
    forwardedFor: string | undefined,
  ) => string | undefined;
}

/** The network of a declared proxy; undefined where none is declared: loopback is served alone. */
export function createClientNetwork(proxy: DeclaredProxy | undefined): ClientNetwork {
  const proxies = new BlockList();
  for (const entry of proxy === undefined || proxy === "any" ? [] : proxy)
    addNetwork(proxies, entry);
  const isProxy = (address: string): boolean =>
    isIP(address) !== 0 && proxies.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
  return {
    admits: (peer) => {
      if (proxy === "any" || peer === undefined) return true;
      const address = bare(peer);
      return isLoopback(address) || isProxy(address);
    },
    clientOf: (peer, forwardedFor) => {
      if (peer === undefined || forwardedFor === undefined || !isProxy(bare(peer))) return peer;
      // From the right: what stands further left was written by the client.
      for (const hop of forwardedFor.split(",").toReversed()) {
        const address = bare(hop.trim());
        if (isIP(address) === 0) return peer;
        if (!isProxy(address)) return address;
      }
      return peer;
    },
  };
}

function bare(address: string): string {
  return address.replace(/^::ffff:(?=\d)/i, "");
}

/** An IPv4 address, or the /64 network of an IPv6 one: one host has all its addresses. */
export function networkOf(address: string): string {
  const own = bare(address);
  if (!isIPv6(own)) return own;
  const [head = "", tail = ""] = own.split("%", 1)[0]?.split("::") ?? [];
  const first = head === "" ? [] : head.split(":");
  const last = tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => "0");
  return [...first, ...zeros, ...last]
    .slice(0, 4)
    .map((part) => Number.parseInt(part, 16).toString(16))
    .join(":");
}
