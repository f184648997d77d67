/** Peers that are taken over plain HTTP, and clients behind a declared proxy. */
import { expect, test } from "vitest";

import { isNetwork } from "../config/proxy-networks.ts";
import { createClientNetwork } from "./client-address.ts";

test("loopback and declared proxies may send, and anyone where any is declared", () => {
  const network = createClientNetwork(["10.1.0.0/16", "2001:db8::1"]);
  for (const peer of ["127.0.0.1", "::1", "::ffff:127.0.0.1", "10.1.2.3", "::ffff:10.1.2.3"]) {
    expect([peer, network.admits(peer)]).toEqual([peer, true]);
  }
  for (const peer of ["10.2.0.1", "203.0.113.7", "2001:db8::2", "::ffff:10.2.0.1"]) {
    expect([peer, network.admits(peer)]).toEqual([peer, false]);
    expect(createClientNetwork("any").admits(peer)).toBe(true);
    expect(createClientNetwork(undefined).admits(peer)).toBe(false);
  }
});

test("the client is the last address that no proxy of ours has, and only a proxy may say so", () => {
  const network = createClientNetwork(["10.1.0.0/16"]);
  expect(network.clientOf("10.1.0.1", "198.51.100.1, 203.0.113.7, 10.1.0.2")).toBe("203.0.113.7");
  expect(network.clientOf("10.1.0.1", "203.0.113.7")).toBe("203.0.113.7");
  expect(network.clientOf("10.1.0.1", undefined)).toBe("10.1.0.1");
  expect(network.clientOf("10.1.0.1", "203.0.113.7, unknown")).toBe("10.1.0.1");
  expect(network.clientOf("203.0.113.9", "198.51.100.1")).toBe("203.0.113.9");
  expect(createClientNetwork("any").clientOf("203.0.113.9", "198.51.100.1")).toBe("203.0.113.9");
});

test("networks are addresses or CIDR", () => {
  for (const text of ["10.0.0.1", "10.0.0.0/8", "::1", "fd00::/8"])
    expect(isNetwork(text)).toBe(true);
  for (const text of ["", "proxy", "10.0.0.0/33", "10.0.0.0/8/8", "fd00::/129", "10.0.0.0/x"]) {
    expect([text, isNetwork(text)]).toEqual([text, false]);
  }
});
