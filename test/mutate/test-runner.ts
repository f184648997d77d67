/**
 * @module Test runner of Stryker that loads the test files once and runs them in its own process: a
 * mutant costs the tests that reach it, not the start of a worker. Static mutants load a copy anew.
 */
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import type {
  DryRunResult,
  MutantRunOptions,
  MutantRunResult,
  TestResult,
  TestRunner,
} from "@stryker-mutator/api/test-runner";

import { collect } from "./collected-tests.ts";
import type { CollectedTest } from "./collected-tests.ts";
import { testFiles } from "./test-files.ts";

/** What instrumented sources and Stryker exchange. */
interface Stryker {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  mutantCoverage?: object;
}

const stryker: Stryker = ((globalThis as { __stryker__?: Stryker }).__stryker__ ??= {});
const collectedTests = new URL("collected-tests.ts", import.meta.url).href;

// Generated windows per property.
process.env["EVIDENCE_RUNS"] ??= "1";

let load = 0;

/** Sends imports to the sources below `root`, a directory's URL; every load has its own modules. */
function redirect(root: string): void {
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === "vitest" && context.parentURL !== collectedTests)
        return { url: collectedTests, shortCircuit: true };
      const isJudge = specifier === "@turnproof/evidence";
      const requested = isJudge ? `${root}packages/evidence/src/index.ts` : specifier;
      const conditions = [...context.conditions, "@turnproof/source"];
      const found = next(requested, { ...context, conditions });
      const isOurs = found.url.startsWith(root) && !found.url.includes("/node_modules/");
      if (!isOurs || found.url === collectedTests || !found.url.endsWith(".ts")) return found;
      return { ...found, url: `${found.url}?load=${load}` };
    },
  });
}

async function loadTests(): Promise<readonly CollectedTest[]> {
  // Stryker changes to its copy of the sources after it has loaded this module.
  const root = `${pathToFileURL(process.cwd()).href}/`;
  if (load === 0) redirect(root);
  load += 1;
  return collect(async () => {
    for (const file of testFiles(process.cwd())) await import(`${root}${file}`);
  });
}

async function runTest({ name, run }: CollectedTest): Promise<TestResult> {
  const began = performance.now();
  const facts = { id: name, name };
  try {
    await run();
    return { ...facts, status: 0, timeSpentMs: performance.now() - began };
  } catch (error) {
    const failureMessage = error instanceof Error ? error.message : String(error);
    return { ...facts, status: 1, failureMessage, timeSpentMs: performance.now() - began };
  }
}

class JudgeRunner implements TestRunner {
  static readonly inject = [] as const;
  #tests: readonly CollectedTest[] | undefined;

  capabilities(): { readonly reloadEnvironment: boolean } {
    return { reloadEnvironment: true };
  }

  async dryRun(): Promise<DryRunResult> {
    this.#tests = await loadTests();
    const tests: TestResult[] = [];
    for (const test of this.#tests) {
      stryker.currentTestId = test.name;
      tests.push(await runTest(test));
      stryker.currentTestId = undefined;
    }
    const { mutantCoverage } = stryker;
    return { status: "complete", tests, mutantCoverage } as DryRunResult;
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    const { activeMutant, testFilter, hitLimit, mutantActivation } = options;
    stryker.hitLimit = hitLimit;
    stryker.hitCount = hitLimit === undefined ? undefined : 0;
    const isStatic = mutantActivation === "static";
    stryker.activeMutant = isStatic ? activeMutant.id : undefined;
    const tests = isStatic ? await this.#loadMutant() : (this.#tests ??= await loadTests());
    if (typeof tests === "string") return killed("load", tests, 0);
    stryker.activeMutant = activeMutant.id;
    const requested = testFilter === undefined ? undefined : new Set(testFilter);
    let nrOfTests = 0;
    for (const test of tests) {
      if (requested !== undefined && !requested.has(test.name)) continue;
      nrOfTests += 1;
      const result = await runTest(test);
      if (hitLimit !== undefined && (stryker.hitCount ?? 0) > hitLimit) {
        return { status: "timeout", reason: "hit limit" } as MutantRunResult;
      }
      if (result.status === 1) return killed(test.name, result.failureMessage, nrOfTests);
    }
    return { status: "survived", nrOfTests } as MutantRunResult;
  }

  /** The tests over sources that were loaded with the mutant, or why they cannot be loaded. */
  async #loadMutant(): Promise<readonly CollectedTest[] | string> {
    try {
      return await loadTests();
    } catch (error) {
      return String(error);
    }
  }
}

function killed(killedBy: string, failureMessage: string, nrOfTests: number): MutantRunResult {
  return { status: "killed", killedBy: [killedBy], failureMessage, nrOfTests } as MutantRunResult;
}

export const strykerPlugins = [
  { kind: "TestRunner", name: "judge", injectableClass: JudgeRunner },
] as const;
