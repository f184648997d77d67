/** A process that may open few files: the log and the metrics name it, and it recovers. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { expect, onTestFinished, test } from "vitest";

import { encodeProtobuf, traceRequest } from "../../otlp/encode.ts";
import { chat } from "../receive/harness.ts";

const bin = fileURLToPath(new URL("../../../collector/bin/turnproof.js", import.meta.url));
const filesMax = 160;

test.runIf(process.platform === "linux")("all descriptors in use", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "turnproof-descriptors-"));
  const child = spawn(
    "sh",
    ["-c", `ulimit -n ${filesMax}; exec "$0" "$@"`, process.execPath, bin, "ui", "--port", "0"],
    {
      env: {
        PATH: process.env["PATH"] ?? "",
        TURNPROOF_DATA_DIR: dataDir,
        TURNPROOF_BACKEND: "filesystem",
        TURNPROOF_GRPC_PORT: "0",
        TURNPROOF_LOG: "json",
      },
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await once(child, "close");
    rmSync(dataDir, { recursive: true, force: true });
  });
  let log = "";
  child.stderr.on("data", (chunk: Buffer) => (log += chunk.toString()));
  await expect.poll(() => log).toMatch(/"event":"listening"/);
  const url = new URL(/"event":"listening","url":"([^"]+)"/.exec(log)?.[1] ?? "");
  const metric = async (name: string): Promise<number> => {
    const text = await (await fetch(new URL("/metrics", url))).text();
    return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1]);
  };
  expect(await metric("process_max_fds")).toBe(filesMax);
  expect(await metric("process_open_fds")).toBeLessThan(filesMax);

  const sockets = Array.from({ length: filesMax }, () => {
    const socket = connect(Number(url.port), url.hostname);
    return socket.on("error", () => {});
  });
  await expect.poll(() => log).toMatch(/"event":"descriptors_low","count":\d+,"limit":160/);
  for (const socket of sockets) socket.destroy();

  const send = async (): Promise<number> => {
    const body = new Uint8Array(encodeProtobuf(traceRequest([chat(1)])));
    const headers = { "content-type": "application/x-protobuf" };
    return (await fetch(new URL("/v1/traces", url), { method: "POST", headers, body })).status;
  };
  await expect.poll(() => send().catch(() => 0)).toBe(200);
  await expect.poll(() => metric("process_open_fds")).toBeLessThan(filesMax * 0.9);
});
