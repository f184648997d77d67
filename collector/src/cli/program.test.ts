/** Each command is evaluated by itself, from the module that its name stands for. */
import { expect, test } from "vitest";

import { createProgram } from "./program.ts";

test("each command is in the module that its name stands for", async () => {
  const all = (await createProgram()).commands.map((command) => command.name());
  expect(all).toContain("ui");
  for (const name of all) {
    const alone = (await createProgram([name])).commands.map((command) => command.name());
    expect(alone).toContain(name);
  }
  expect(new Set(all).size).toBe(all.length);
});
