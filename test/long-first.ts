/**
 * @module LongFirst: order of test files. Without times of an earlier run, Vitest begins with the
 * largest files. The contract suites are small files that run a large kit for minutes: at the end
 * of a run each would keep one core while the other has nothing to do.
 */
import { BaseSequencer } from "vitest/node";
import type { TestSpecification } from "vitest/node";

const isLong = ({ moduleId }: TestSpecification): boolean => /\/contract-[^/]+$/.test(moduleId);

/** Vitest's order, with the contract suites first in their project. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = Map.groupBy(sorted, ({ project }) => project.name);
    return [...projects.values()].flatMap((own) => [
      ...own.filter(isLong),
      ...own.filter((one) => !isLong(one)),
    ]);
  }
}
