/** @module Test that the README lists the providers as the table has them. */
import { readFileSync } from "node:fs";

import { providers } from "@turnproof/store";
import { expect, test } from "vitest";

import { variables } from "../../../collector/src/config/config-variables.ts";

const readme = readFileSync(new URL("../../../packages/store/README.md", import.meta.url), "utf8");

test("the README has a row for every provider, and no other, as the table has it", () => {
  const [, ...rows] = (readme.split("| provider |")[1] ?? "").split("\n\n")[0]!.split("\n");
  const wanted = providers.map(({ name, capabilities, variables: names, required }) => {
    const ports = capabilities.filter((one) => one === "evidence" || one === "memory").join(", ");
    const shown = names.map((one) => `\`${one}\`${one === required ? " (required)" : ""}`);
    return ["", name, ports, capabilities.includes("durable") ? "yes" : "no", shown.join(", "), ""];
  });
  const cells = rows.slice(1).map((line) => line.split("|").map((cell) => cell.trim()));
  expect(cells).toEqual(wanted);
});

test("every variable of a provider is one of the collector", () => {
  const known = new Set(variables.map(({ name }) => name));
  for (const { name, variables: names, required } of providers) {
    expect([name, names.filter((one) => !known.has(one))]).toEqual([name, []]);
    if (required !== undefined) expect(names).toContain(required);
  }
});
