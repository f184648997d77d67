/** Real processes: start, receive, be killed, come back, stop on a signal; and the commands. */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterEach, describe, expect, test, vi } from "vitest";

const bin = fileURLToPath(new URL("../../../collector/bin/turnproof.js", import.meta.url));
const children = new Set<ChildProcess>();

afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
  children.clear();
});

interface Finished {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function start(args: readonly string[], env: Record<string, string> = {}): ChildProcess {
  const child = spawn(process.execPath, [bin, ...args], {
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.add(child);
  return child;
}

async function finished(child: ChildProcess): Promise<Finished> {
  let out = "";
  let err = "";
  child.stdout?.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (err += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, out, err };
}

const run = (args: readonly string[], env: Record<string, string> = {}): Promise<Finished> =>
  finished(start(args, env));

/** The URL that a starting collector logs. */
function listening(child: ChildProcess): Promise<string> {
  let text = "";
  return new Promise((resolve, reject) => {
    child.once("exit", () => reject(new Error("it ended before it listened")));
    child.stderr?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const url = /"event":"listening","url":"([^"]+)"/.exec(text)?.[1];
      if (url !== undefined) resolve(url.replace(/\/$/, ""));
    });
  });
}

const dataDir = (): string => mkdtempSync(join(tmpdir(), "turnproof-process-"));
const ephemeral = (dir = dataDir()): Record<string, string> => ({
  TURNPROOF_DATA_DIR: dir,
  TURNPROOF_BACKEND: "ephemeral",
});

const exited = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => child.once("exit", resolve));

/** Variables of the allocator in the environment that a process was started with. */
function allocatorOf(child: ChildProcess): readonly string[] {
  const environment = readFileSync(`/proc/${child.pid}/environ`, "utf8").split("\0");
  return environment.filter((variable) => variable.startsWith("MALLOC_")).toSorted();
}

/** How many worker threads of Node a child has, by the names that the kernel lists. */
function workerThreads(child: ChildProcess): number {
  const tasks = `/proc/${child.pid}/task`;
  const names = readdirSync(tasks).map((id) => {
    try {
      return readFileSync(join(tasks, id, "comm"), "utf8").trim();
    } catch {
      return ""; // A thread that ended between the two reads.
    }
  });
  return names.filter((name) => name === "WorkerThread").length;
}

describe("the process", () => {
  test.runIf(process.platform === "linux")(
    "a first page some seconds after the start waits for no thread",
    async () => {
      const child = start([], { TURNPROOF_DATA_DIR: dataDir(), TURNPROOF_PORT: "0" });
      const url = await listening(child);
      // The thread of the embedded engine, and the one that reads for pages.
      await vi.waitFor(() => expect(workerThreads(child)).toBe(2), { timeout: 30_000 });
      const page = await fetch(`${url}/traces`, { headers: { accept: "text/html" } });
      expect(page.status).toBe(200);
      await page.text();
      expect(workerThreads(child)).toBe(2);
    },
  );

  test("everything acknowledged is there after kill -9, and SIGTERM ends it with 0", async () => {
    const dir = dataDir();
    const env = { TURNPROOF_DATA_DIR: dir };
    const first = start(["--port", "0"], env);
    const sent: string[] = [];
    const url = await listening(first);
    for (let index = 0; index < 2; index += 1) {
      const { code, out } = await run(["canary", "--count", "3", "--json", "--url", url]);
      expect(code).toBe(0);
      sent.push((JSON.parse(out) as { trace_id: string }).trace_id);
    }
    const other = await run(["--port", "0"], env);
    expect(other.code).toBe(1);
    expect(other.err).toMatch(/Another process uses this journal\. Stop the other collector/);
    first.kill("SIGKILL");
    await exited(first);

    const second = start(["--port", "0"], env);
    const again = await listening(second);
    for (const trace of sent) {
      const page = await fetch(`${again}/traces/events.json?root_trace_id=${trace}`);
      expect(((await page.json()) as { normalized_events: number }).normalized_events).toBe(3);
    }
    const stopping = performance.now();
    second.kill("SIGTERM");
    expect(await exited(second)).toBe(0);
    expect(performance.now() - stopping).toBeLessThan(10_000);
  });

  test("a taken port, a wrong configuration and a wrong word each say so", async () => {
    const holder = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => holder.once("listening", resolve));
    const { port } = holder.address() as AddressInfo;
    const taken = await run(["--port", String(port)], ephemeral());
    expect([taken.code, taken.err]).toEqual([1, expect.stringContaining("cannot be listened on")]);
    holder.close();
    const wrong = await run(["--host", "0.0.0.0"], {
      ...ephemeral(),
      TURNPROOF_UI_READ_ONLY: "maybe",
    });
    expect(wrong.code).toBe(2);
    expect(wrong.out).toContain("TURNPROOF_HOST");
    expect(wrong.out).toContain("TURNPROOF_UI_READ_ONLY");
    expect(wrong.err).toMatch(/The configuration has \d problems\. \(config_invalid\)/);
    expect((await run(["nonsense"])).code).toBe(2);
    expect((await run(["--help"])).out).toContain("canary");
  });

  test.runIf(process.platform === "linux")(
    "freed memory goes back to the system, by settings of the allocator that a host may set",
    async () => {
      const [own, set] = await Promise.all(
        [{}, { MALLOC_ARENA_MAX: "8" }].map(async (env) => {
          const command = "MALLOC_ARENA_MAX" in env ? ["ui"] : [];
          const child = start([...command, "--port", "0"], { ...ephemeral(), ...env });
          await listening(child);
          return allocatorOf(child);
        }),
      );
      const thresholds = ["MALLOC_MMAP_THRESHOLD_=131072", "MALLOC_TRIM_THRESHOLD_=131072"];
      expect(own).toEqual(["MALLOC_ARENA_MAX=2", ...thresholds]);
      expect(set).toEqual(["MALLOC_ARENA_MAX=8", ...thresholds]);
    },
  );

  test("a signal ends it promptly though somebody follows the tail", async () => {
    const child = start(["--port", "0"], ephemeral());
    const url = await listening(child);
    const tail = await fetch(`${url}/traces/live`);
    expect(tail.status).toBe(200);
    const stopping = performance.now();
    // A supervisor and its group often send the same signal at once.
    child.kill("SIGTERM");
    child.kill("SIGINT");
    expect(await exited(child)).toBe(0);
    expect(performance.now() - stopping).toBeLessThan(5_000);
    await tail.body?.cancel().catch(() => {});
  });

  test("nothing that was sent reaches the log", async () => {
    const child = start(["--port", "0"], ephemeral());
    let log = "";
    child.stderr?.on("data", (chunk: Buffer) => (log += chunk.toString()));
    const url = await listening(child);
    await fetch(`${url}/traces/events.json?canary-name=canary-value`, {
      headers: { authorization: "Bearer canary-token" },
    });
    await fetch(`${url}/v1/traces`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"canary": {',
    });
    child.kill("SIGTERM");
    await exited(child);
    expect(log).not.toContain("canary");
    for (const line of log.trim().split("\n")) expect(JSON.parse(line)).toHaveProperty("event");
  });
});

describe("commands", () => {
  test("find, export, reconcile, verify and tail against a running collector", async () => {
    const child = start(["--port", "0"], ephemeral());
    const url = await listening(child);
    const at = ["--url", url];
    let followed = false;
    const tail = run(["tail", "--count", "2", "--json", ...at]).finally(() => (followed = true));
    let trace = "";
    // When it begins to follow is not visible: it does not show what is sent before.
    while (!followed) {
      const sent = await run(["canary", "--json", ...at]);
      ({ trace_id: trace } = JSON.parse(sent.out) as { trace_id: string });
    }
    expect((await tail).out.trim().split("\n")).toHaveLength(2);

    const found = await run(["find", trace, "--json", ...at]);
    expect(found.code).toBe(0);
    expect(JSON.parse(found.out)).toMatchObject({ items: [{ root_trace_id: trace }] });
    expect((await run(["find", "no-such-id", ...at])).code).toBe(1);

    const dir = dataDir();
    const statement = join(dir, "statement.jws");
    const window = join(dir, "window.ndjson");
    const requested = ["--agent", "turnproof-canary", "--root", trace];
    const judged = await run(["reconcile", ...requested, "--jws", statement, "--json", ...at]);
    expect(judged.code).toBe(4);
    expect(JSON.parse(judged.out)).toMatchObject({ status: "unknown", root_trace_id: trace });
    const exported = await run(["export", "--root", trace, "--pages", ...at]);
    writeFileSync(window, exported.out);
    expect((await run(["reconcile", "--events", window, "--json"])).code).toBe(4);
    expect((await run(["verify", statement, "--events", window, ...at])).code).toBe(0);

    const keys = join(dir, "jwks.json");
    writeFileSync(keys, await (await fetch(`${url}/.well-known/jwks.json`)).text());
    const offline = ["verify", statement, "--keys", keys];
    expect((await run([...offline, "--events", window])).code).toBe(0);
    // Its signer does not show whether the verdict is right.
    const signatureOnly = await run(offline);
    expect([signatureOnly.code, signatureOnly.err]).toEqual([
      6,
      expect.stringContaining("Only the signature was checked."),
    ]);
    expect((await run([...offline, "--signature-only"])).code).toBe(0);
    const text = readFileSync(window, "utf8");
    writeFileSync(window, text.replaceAll('"status":"success"', '"status":"partial"'));
    const differs = await run([...offline, "--events", window, "--json"]);
    expect(differs.code).toBe(1);
    expect(JSON.parse(differs.out)).toMatchObject({ signature: "valid", evidence: "differs" });
    const signed = readFileSync(statement, "utf8");
    const other = (first: string): string => (first === "x" ? "y" : "x");
    writeFileSync(statement, signed.replace(/(?<=\.)[^.](?=[^.]+$)/, other));
    expect((await run(offline)).code).toBe(1);
    child.kill("SIGTERM");
    expect(await exited(child)).toBe(0);
  }, 180_000);

  test("doctor explains, and shows no secret", async () => {
    const secret = "operator-q7KxZt4Wm9Rc2Yd8";
    const well = await run(["doctor", "--json"], {
      ...ephemeral(),
      TURNPROOF_UI_AUTH_TOKEN: secret,
    });
    expect([well.code, well.out.includes(secret)]).toEqual([0, false]);
    const ill = await run(["doctor", "--json"], { ...ephemeral(), TURNPROOF_PORT: "x" });
    expect(ill.code).toBe(1);
    expect(JSON.parse(ill.out)).toMatchObject({
      checks: expect.arrayContaining([expect.objectContaining({ check: "TURNPROOF_PORT" })]),
    });
  });

  test("audit verify finds an edit", async () => {
    const dir = dataDir();
    const env = { ...ephemeral(dir), TURNPROOF_UI_AUTH_TOKEN: "operator-q7KxZt4Wm9Rc2Yd8" };
    const child = start(["--port", "0"], env);
    const url = await listening(child);
    const headers = { authorization: `Bearer ${env.TURNPROOF_UI_AUTH_TOKEN}` };
    for (let index = 0; index < 3; index += 1) {
      expect((await fetch(`${url}/traces/turns.json`, { headers })).status).toBe(200);
    }
    child.kill("SIGTERM");
    expect(await exited(child)).toBe(0);
    const good = await run(["audit", "verify", "--json"], env);
    expect([good.code, JSON.parse(good.out)]).toEqual([0, expect.objectContaining({ records: 3 })]);
    // A folder without checkpoints, such as a bucket that is not mounted, compares with nothing.
    const empty = await run(["audit", "verify", "--checkpoints", dataDir()], env);
    expect([empty.code, empty.err]).toEqual([2, expect.stringContaining("No checkpoint")]);
    const file = join(dir, "audit.jsonl");
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    writeFileSync(file, `${lines.slice(0, 2).join("\n")}\n`);
    expect((await run(["audit", "verify"], env)).code).toBe(1);
  });
});
