/** @module Test of the provider table: names by capability. */
import { expect, test } from "vitest";

import { providersWith } from "./providers.ts";

test("a provider is named for the capabilities that it has, all of them", () => {
  const durable = ["clickhouse", "filesystem", "postgres", "mongodb"];
  expect(providersWith("evidence")).toEqual([...durable, "ephemeral"]);
  expect(providersWith("evidence", "durable")).toEqual(durable);
  expect(providersWith("memory", "durable")).toEqual(durable.slice(1));
});
