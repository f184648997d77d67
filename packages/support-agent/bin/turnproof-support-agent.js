#!/usr/bin/env node
/** @module Launcher; a build that is missing says so in one sentence. */
import { existsSync } from "node:fs";

if (existsSync(new URL("../dist/main.js", import.meta.url))) await import("../dist/main.js");
else {
  process.stderr.write("turnproof-support-agent is not built yet. Run: npm run build\n");
  process.exitCode = 1;
}
