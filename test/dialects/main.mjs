/** @module Runs every recording in a process of its own: each library registers globals. */
import { spawnSync } from "node:child_process";

const names = ["ai-sdk-5", "ai-sdk-6", "ai-sdk-7", "openinference", "openllmetry", "langfuse", "mastra"];
const wanted = process.argv.slice(2);
for (const name of wanted.length === 0 ? names : wanted) {
  const script = new URL(`${name}.mjs`, import.meta.url);
  const { status } = spawnSync(process.execPath, [script.pathname], {
    stdio: "inherit",
    timeout: 120_000,
    env: { ...process.env, TRACELOOP_TELEMETRY: "false", OTEL_SDK_DISABLED: "false" },
  });
  if (status !== 0) process.exitCode = 1;
}
