/** @module Proxy networks: the addresses and networks that `TURNPROOF_PROXY` declares. */
import { BlockList, isIP } from "node:net";

/** What `TURNPROOF_PROXY` declares: networks, or any peer. */
export type DeclaredProxy = "any" | readonly string[];

/** True for an address, or a network in CIDR notation. */
export function isNetwork(text: string): boolean {
  try {
    addNetwork(new BlockList(), text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Adds an address or a network to a list.
 *
 * @throws when the text is neither
 */
export function addNetwork(list: BlockList, text: string): void {
  const [address = "", prefix, ...rest] = text.split("/");
  const family = isIP(address) === 6 ? "ipv6" : "ipv4";
  if (isIP(address) === 0 || rest.length > 0) throw new RangeError("no address");
  if (prefix === undefined) list.addAddress(address, family);
  else if (/^\d{1,3}$/.test(prefix)) list.addSubnet(address, Number(prefix), family);
  else throw new RangeError("no prefix");
}
