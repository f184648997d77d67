/** @module One browser for all test files of a run; each worker connects to it. */
import { chromium } from "playwright-core";
import type { TestProject } from "vitest/node";

import { launchOptions } from "./launch-options.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where the browser of the run listens. */
    readonly browserAddress: string;
  }
}

/** Starts the browser before the first file, and returns what ends it after the last. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await chromium.launchServer({ ...launchOptions, host: "127.0.0.1" });
  project.provide("browserAddress", server.wsEndpoint());
  return () => server.close();
}
