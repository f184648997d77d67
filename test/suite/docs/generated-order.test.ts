/**
 * One run of `npm run generate` is enough: what is made from types comes after the made modules.
 */
import { expect, test } from "vitest";

import { apiAnswersFile } from "../../generate/api-answers.ts";
import { eventAttributesFile } from "../../generate/event-attributes.ts";
import { generatedFiles } from "../../generate/generated-files.ts";

test("the schemas of the answers are made after every module that is made", () => {
  const paths = generatedFiles({}).map(({ path }) => path);
  const modules = paths.filter((path) => path.endsWith(".ts"));
  expect(modules).toContain(eventAttributesFile);
  const answers = paths.indexOf(apiAnswersFile);
  expect(modules.filter((path) => paths.indexOf(path) > answers)).toEqual([]);
});
