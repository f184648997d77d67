/** The worked example of the package's README runs and prints what the README shows. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const readme = readFileSync(`${root}packages/evidence/README.md`, "utf8");

function block(language: string): string {
  const found = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(readme)?.[1];
  if (found === undefined) throw new Error(`the README has no ${language} block`);
  return found;
}

test("the worked example prints what it says", () => {
  const flags = ["-C", "@turnproof/source", "--input-type=module-typescript"];
  const printed = execFileSync(process.execPath, [...flags, "-e", block("ts")], {
    cwd: root,
    encoding: "utf8",
  });
  expect(printed).toBe(block("text"));
});
