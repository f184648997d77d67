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
  writeFileSync(join(folder, "named.mjs"), "export default { hooks: { canary: () => 1 } };\n");
  writeFileSync(join(folder, "none.mjs"), "export const hooks = {};\n");
  writeFileSync(join(folder, "syntax.mjs"), "export default {{ canary\n");
  writeFileSync(join(folder, "throws.mjs"), "throw new RangeError('canary');\n");
  writeFileSync(join(folder, "imports.mjs"), "import 'canary-module';\n");
  for (const [name, problem] of [
    ["bad.mjs", "hooks.resolveAccount is not what a hook is"],
    ["named.mjs", "hooks has an unknown name"],
    ["none.mjs", "its default export is no object with hooks"],
    [
      "syntax.mjs",
      expect.stringMatching(/^it (?:is not JavaScript|fails as it is|imports a module)/),
    ],
    [
      "throws.mjs",
      expect.stringMatching(/^it (?:is not JavaScript|fails as it is|imports a module)/),
    ],
    [
      "imports.mjs",
      expect.stringMatching(/^it (?:is not JavaScript|fails as it is|imports a module)/),
    ],
    ["missing.mjs", "there is no such file"],
  ] as const) {
    await expect(loadHooks(name, folder)).rejects.toMatchObject({
      code: "config_invalid",
      problems: [{ variable: "TURNPROOF_CONFIG", problem }],
    });
  }
});
