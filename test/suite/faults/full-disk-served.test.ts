/**
 * A full disk under the audit log and the data directory, on a real tmpfs: what the process
 * reports about itself stays readable and names the disk, and no row is read without a record
 * (faults R4; security: Audit).
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, afterEach, expect, test, vi } from "vitest";

import { run } from "../../../collector/src/cli/program.ts";
import { openDesk, turnEvents } from "../collector/desk.ts";

const token = "operator-q7KxZt4Wm9Rc2Yd8";
const bound = "viewer-q7KxZt4Wm9Rc2Yd8";
const headers = { authorization: `Bearer ${token}` };
const backend = { TURNPROOF_BACKEND: "filesystem", TURNPROOF_MEMORY_BACKEND: "none" };

const disks: string[] = [];

/** A disk of 24 MiB; undefined where this process may not mount one. */
function smallDisk(): string | undefined {
  const directory = mkdtempSync(join(tmpdir(), "turnproof-small-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=24m", "none", directory], {
      stdio: "ignore",
    });
  } catch {
    return undefined;
  }
  disks.push(directory);
  return directory;
}

/** Takes all space of a disk. Returns what frees it. */
function fill(directory: string): () => void {
  const names: string[] = [];
  for (let bytes = 1_048_576; bytes >= 4_096; bytes /= 2) {
    for (let more = true; more;) {
      const name = join(directory, `fill-${names.length}`);
      names.push(name);
      try {
        writeFileSync(name, Buffer.alloc(bytes));
      } catch {
        more = false;
      }
    }
  }
  return () => names.forEach((name) => rmSync(name, { force: true }));
}

const disk = smallDisk();

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  process.exitCode = undefined;
});
afterAll(() => {
  for (const directory of disks) execFileSync("umount", ["-l", directory]);
});

/** Runs a command; its exit code and what it writes. */
async function command(env: Record<string, string>, ...words: string[]): Promise<unknown[]> {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  let text = "";
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, "write").mockImplementation((part) => {
      text += String(part);
      return true;
    });
  }
  await run(["node", "turnproof", ...words]);
  return [process.exitCode, text];
}

test.skipIf(disk === undefined)(
  "while the audit log's disk is full, process health is served and names it, and no row is",
  async () => {
    const folder = join(disk ?? "", "log");
    const accounts = { anna: { token: bound, role: "viewer", user_id: "canary-user" } };
    const env = {
      ...backend,
      TURNPROOF_UI_AUTH_TOKEN: token,
      TURNPROOF_UI_ACCOUNTS: JSON.stringify(accounts),
      TURNPROOF_UI_AUDIT_LOG: join(folder, "audit.jsonl"),
    };
    const desk = await openDesk(env, { judge: false });
    await desk.put(turnEvents({ root: "canary-root", user: "canary-user" }));
    const free = fill(disk ?? "");
    for (let round = 0; round < 2; round += 1) {
      for (const path of ["/traces/turns.json", "/traces/canary-root.json", "/settings.json"]) {
        const refused = await desk.get(path, headers);
        expect([path, refused.status]).toEqual([path, 503]);
        expect(await refused.json()).toMatchObject({ code: "disk_full" });
      }
      const health = await desk.json<{
        audit: unknown;
        collector: { audit: object };
        window: object;
        range: unknown;
      }>("/traces/health.json", headers);
      expect(health.collector.audit).toMatchObject({ healthy: false, failure: "disk_full" });
      expect(health).toMatchObject({ range: null, window_complete: false });
      expect(JSON.stringify(health)).not.toContain("canary");
      const page = await desk.get("/traces/health", { ...headers, accept: "text/html" });
      const shown = await page.text();
      expect([page.status, shown]).toEqual([200, expect.stringContaining("disk_full")]);
      expect(shown).toContain("so no row is read");
      const metrics = await (await desk.get("/metrics", headers)).text();
      expect(metrics).toMatch(/^turnproof_disk_full 1$/m);
      expect(metrics).toMatch(/^turnproof_audit_up 0$/m);
      expect(await desk.json("/readyz")).toMatchObject({ code: "disk_full" });
      // Its Health holds a tenant's rows, and nothing of the process.
      const narrowed = await desk.get("/traces/health.json", { authorization: `Bearer ${bound}` });
      expect(narrowed.status).toBe(503);
      await new Promise((resolve) => setTimeout(resolve, 1_100));
    }
    free();
    await vi.waitFor(
      async () => expect((await desk.get("/traces/turns.json", headers)).status).toBe(200),
      { timeout: 10_000, interval: 200 },
    );
    expect(await desk.json("/readyz")).toMatchObject({ code: null });
    await desk.collector.close();
  },
);

test.skipIf(disk === undefined)(
  "doctor writes to a full disk, and a first start on it names it and leaves no key behind",
  async () => {
    const dataDir = mkdtempSync(join(disk ?? "", "data-"));
    const free = fill(disk ?? "");
    const env = { ...backend, TURNPROOF_DATA_DIR: dataDir, TURNPROOF_PORT: "1" };
    const looked = async (): Promise<unknown> => {
      const [, text] = await command(env, "doctor", "--json");
      const { checks } = JSON.parse(String(text)) as {
        readonly checks: readonly { check: string; state: string; message: string }[];
      };
      return checks.find(({ check }) => check === "data directory");
    };
    const full = {
      state: "fail",
      message: expect.stringContaining(`Make room on the disk of ${dataDir};`),
    };
    expect(await looked()).toMatchObject(full);
    expect(await command(env)).toEqual([1, expect.stringContaining(`(disk_full, ${dataDir})`)]);
    free();
    expect(
      readdirSync(dataDir, { recursive: true, encoding: "utf8" }).filter((name) =>
        /key|secret/.test(name),
      ),
    ).toEqual(["keys"]);
    const well = { state: "warn", message: expect.stringMatching(/; \d+ MiB are free\.$/) };
    expect(await looked()).toMatchObject(well);
  },
);
