/** The hooks file: found by name or in the working directory, refused when it is anything else. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, test } from "vitest";

import { loadHooks } from "./hooks-file.ts";

test("a hooks file is loaded by its default export, and anything else is refused", async () => {
  const folder = mkdtempSync(join(tmpdir(), "turnproof-hooks-"));
  expect(await loadHooks(undefined, folder)).toEqual({});
  const good = "export default { hooks: { resolveAccount: async () => 'alice' } };\n";
  writeFileSync(join(folder, "turnproof.config.mjs"), good);
  const hooks = await loadHooks(undefined, folder);
  expect(await hooks.resolveAccount?.("x", {} as never)).toBe("alice");
  writeFileSync(join(folder, "bad.mjs"), "export default { hooks: { resolveAccount: 1 } };\n");
  for (const name of ["bad.mjs", "missing.mjs"]) {
    await expect(loadHooks(name, folder)).rejects.toMatchObject({
      code: "config_invalid",
      field: "TURNPROOF_CONFIG",
    });
  }
});
