/**
 * @module HangAccount: what each thread of a process that does not answer waits for, as Linux and a
 * debugger show it, in a file that outlives the process. Frames have names of functions, no values.
 */
import { execFile } from "node:child_process";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const debuggerMs = 60_000;
const framesMax = 16;

/** Writes the account of a process; answers the file's path. Never rejects. */
export async function accountOfHang(pid: number, output: string): Promise<string> {
  const path = join(tmpdir(), `turnproof-hang-${pid}-${Date.now()}.txt`);
  const parts = [output, await threadsOf(pid), await framesOf(pid)];
  await writeFile(path, parts.join("\n\n")).catch(() => {});
  return path;
}

/** Name, state, system call and kernel stack of each thread, and the files that are open. */
async function threadsOf(pid: number): Promise<string> {
  const of = (name: string): Promise<string> =>
    readFile(`/proc/${pid}/${name}`, "utf8").then(
      (text) => text.trim(),
      () => "unknown",
    );
  const ids = await readdir(`/proc/${pid}/task`).catch(() => []);
  const threads = ids.map(async (id) => {
    const [name, status, call, waits, stack] = await Promise.all(
      ["comm", "status", "syscall", "wchan", "stack"].map((each) => of(`task/${id}/${each}`)),
    );
    const state = /^State:.*$/m.exec(status ?? "")?.[0] ?? "State: unknown";
    return `${id} ${name} · ${state} · syscall ${call} · ${waits}\n${stack}`;
  });
  const locks = await readFile("/proc/locks", "utf8").catch(() => "");
  const own = locks.split("\n").filter((line) => line.split(/\s+/).includes(String(pid)));
  return [await of("io"), ...own, ...(await Promise.all(threads))].join("\n");
}

/** Frames of each thread; a machine without gdb has none. */
async function framesOf(pid: number): Promise<string> {
  const frames = `thread apply all backtrace ${framesMax}`;
  const args = ["-p", String(pid), "-batch", "-nx", "-ex", "set print frame-arguments none"];
  const how = { timeout: debuggerMs, maxBuffer: 2 ** 24 };
  return run("gdb", [...args, "-ex", frames], how).then(
    ({ stdout }) => stdout,
    () => "gdb has no answer",
  );
}
