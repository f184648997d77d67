/** packages/semconv/README.md is in step with the registry. */
import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

import { semconvReadme, semconvReadmeFile } from "../../generate/semconv-readme.ts";

test("the tables are those of the registry; `npm run generate` writes them", () => {
  expect(readFileSync(semconvReadmeFile, "utf8")).toBe(semconvReadme());
});
