/** @module Collector: the one of this checkout, built, on a port of its own with nothing on disk. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const launcher = fileURLToPath(new URL("../../collector/bin/turnproof.js", import.meta.url));
const startMsMax = 60_000;

/** Starts it and gives its address once it listens. */
export async function startCollector(work) {
  const child = spawn(process.execPath, [launcher, "--port", "0"], {
    env: {
      PATH: process.env.PATH,
      TURNPROOF_DATA_DIR: `${work}/data`,
      TURNPROOF_BACKEND: "ephemeral",
      TURNPROOF_GRPC_PORT: "0",
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const gone = new Promise((resolve) => child.once("exit", resolve));
  let output = "";
  const url = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no start: ${output}`)), startMsMax);
    child.stderr.setEncoding("utf8").on("data", (text) => {
      output += text;
      const found = /"event":"listening","url":"(http:[^"]+?)\/?"/.exec(output)?.[1];
      if (found === undefined) return;
      clearTimeout(timer);
      resolve(found);
    });
    gone.then(() => reject(new Error(`ended at once: ${output}`)));
  });
  return {
    url,
    async stop() {
      child.kill("SIGTERM");
      await gone;
    },
  };
}
