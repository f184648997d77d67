/**
 * The collector opens exactly the providers of the table, for the ports that each of them serves.
 */
import { providers } from "@turnproof/store";
import { expect, test } from "vitest";

import { openings } from "./backend/backend.ts";

test("every provider of the table is opened for the ports that it declares, and for no other", () => {
  expect(Object.keys(openings)).toEqual(providers.map(({ name }) => name));
  for (const { name, capabilities } of providers) {
    const { evidence, memory } = openings[name];
    expect([name, evidence !== undefined, memory !== undefined]).toEqual([
      name,
      capabilities.includes("evidence"),
      capabilities.includes("memory"),
    ]);
  }
});

test("what lasts on a server has an address, and what ends with the process has no archive", () => {
  for (const { name, capabilities, required } of providers) {
    const { server, whole } = openings[name];
    if (required !== undefined) expect([name, server]).not.toEqual([name, undefined]);
    if (!capabilities.includes("durable"))
      expect([name, whole, server]).toEqual([name, undefined, undefined]);
  }
});
