/**
 * `turnproof doctor` as a process of its own: where nothing else keeps it running, it still ends.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { createCollector, parseConfig } from "turnproof";
import { clickhouse } from "@turnproof/store";
import { afterAll, expect, test } from "vitest";

import { temporaryDirectories } from "../store/temporary-directory.ts";
import { isoOf, start, turnAt } from "./stopped-judge.ts";

const bin = fileURLToPath(new URL("../../../collector/bin/turnproof.js", import.meta.url));
const directories = temporaryDirectories();
afterAll(() => directories.remove());

const log = { info() {}, warn() {}, error() {} };

interface Found {
  readonly code: number | null;
  readonly checks: Readonly<Record<string, readonly [state: string, message: string]>>;
}

function doctor(env: Record<string, string>): Found {
  const { status, stdout } = spawnSync(process.execPath, [bin, "doctor", "--json"], {
    env: { PATH: process.env["PATH"] ?? "", TURNPROOF_PORT: "1", ...env },
    encoding: "utf8",
  });
  const { checks } = JSON.parse(stdout) as {
    readonly checks: readonly { check: string; state: string; message: string }[];
  };
  const byName = checks.map(({ check, state, message }) => [check, [state, message]] as const);
  return { code: status, checks: Object.fromEntries(byName) };
}

test("an embedded engine is checked part by part, and a damaged part has its name", async () => {
  const dataDir = await directories.make();
  const env = { TURNPROOF_DATA_DIR: dataDir, TURNPROOF_BACKEND: "clickhouse" };
  const folder = join(dataDir, "clickhouse");
  const store = await clickhouse({ connection: { dataDir: folder } });
  await store.append({ batchId: "a", receivedAt: isoOf(start), events: turnAt("a", start) });
  await store.close();
  const collector = await createCollector({ config: parseConfig(env), log });
  await collector.close();
  const well = doctor(env);
  expect(well.checks["clickhouse parts"]).toEqual(["ok", "Each is whole."]);
  expect([well.code, well.checks["keys"], well.checks["journal"]]).toEqual([
    0,
    ["ok", "Each can be used."],
    ["ok", "Nothing was set aside."],
  ]);

  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const bundles = files.filter((file) => /_\d+\/data\.bin$/.test(file));
  expect(well.checks["evidence account"]?.[0]).toBe("ok");
  const damageFrom = (from: (length: number) => number): void => {
    for (const file of bundles) {
      const path = join(folder, file);
      const bytes = readFileSync(path);
      bytes.fill(0xa5, from(bytes.length));
      writeFileSync(path, bytes);
    }
  };
  // The columns that are counted can be read.
  damageFrom((length) => length - 8);
  const counted = doctor(env);
  expect(counted.checks["clickhouse parts"]?.[0]).toBe("fail");
  expect(counted.checks["evidence account"]).toEqual([
    "unknown",
    expect.stringContaining("damaged parts are counted by their metadata alone"),
  ]);
  damageFrom((length) => Math.floor(length / 2));
  const ill = doctor(env);
  expect([ill.code, ill.checks["clickhouse parts"]?.[0]]).toEqual([1, "fail"]);
  const stated = /store_corrupt: .*?(?<path>clickhouse\/\S+\/bundles\/\d+_\w+)/;
  const { path = "none" } = stated.exec(ill.checks["clickhouse parts"]?.[1] ?? "")?.groups ?? {};
  expect(existsSync(join(dataDir, path))).toBe(true);
}, 120_000);

test("a key that is empty, damage in the journal and a server that is away are named", async () => {
  const dataDir = await directories.make();
  mkdirSync(join(dataDir, "keys"));
  mkdirSync(join(dataDir, "journal"));
  writeFileSync(join(dataDir, "keys-made"), "identity-key\nsession-secret\n");
  writeFileSync(join(dataDir, "keys", "session-secret"), "0123456789abcdef0123456789abcdef");
  writeFileSync(join(dataDir, "keys", "identity-key"), "");
  const corrupt = "0000000000000001.segment-0-99-1-x-1795779929710.corrupt";
  writeFileSync(join(dataDir, "journal", corrupt), "");
  const found = doctor({
    TURNPROOF_DATA_DIR: dataDir,
    TURNPROOF_BACKEND: "postgres",
    TURNPROOF_POSTGRES_URL: "postgres://user:secret@127.0.0.1:1/turnproof",
  });
  expect(found.code).toBe(1);
  expect(found.checks["keys"]).toEqual([
    "fail",
    expect.stringMatching(/^key_unusable \(keys\/identity-key\): .* Restore the file/),
  ]);
  expect(found.checks["journal"]).toEqual(["warn", expect.stringContaining(`journal/${corrupt}`)]);
  expect(found.checks["store"]).toEqual([
    "fail",
    "store_unavailable: 127.0.0.1:1: nothing listens there.",
  ]);
}, 60_000);
