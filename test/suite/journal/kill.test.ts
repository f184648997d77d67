/**
 * Real kills: a child under eight writers dies by SIGKILL at a random moment, again and again on
 * the same directory. The ledger is the child's own words in the parent, outside of what is judged.
 */
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { expect, test } from "vitest";

import { openJournal } from "@turnproof/journal";

const kills = Number(process.env["JOURNAL_KILLS"] ?? "25");
const program = fileURLToPath(new URL("writer-process.ts", import.meta.url));

/** Starts a child, kills it, and returns what it had printed by then. */
async function killedRun(directory: string, round: number, afterMs: number): Promise<string[]> {
  const child = spawn(
    process.execPath,
    ["-C", "@turnproof/source", "--no-warnings", program, directory, "write", String(round)],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  let output = "";
  const opened = Promise.withResolvers<void>();
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
    opened.resolve();
  });
  const closed = new Promise((resolve) => child.once("close", resolve));
  await Promise.race([opened.promise, closed]);
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  child.kill("SIGKILL");
  await closed;
  // The last line may have been cut in the middle of a word.
  return output.slice(0, output.lastIndexOf("\n")).split("\n");
}

test(`acknowledged frames outlive ${kills} kills`, async () => {
  const directory = await mkdtemp(join(tmpdir(), "kill-"));
  const acknowledged = new Map<string, number>();
  const stored = new Set<string>();
  try {
    for (let round = 0; round < kills; round += 1) {
      const lines = await killedRun(directory, round, Math.random() * 150);
      expect(lines[0]).toBe("open");
      for (const line of lines.slice(1)) {
        const [key = "", rest = ""] = line.split(" ");
        if (key === "stored") stored.add(rest);
        else acknowledged.set(key, Number(rest));
      }
    }
    expect(acknowledged.size).toBeGreaterThan(kills);
    const journal = await openJournal({ directory });
    const pending = new Map<string, number>();
    for await (const frame of journal.read()) {
      const text = Buffer.from(frame.payload).toString();
      expect(text).toMatch(/^\d+\/w\d\/\d+\/x*$/);
      pending.set(text.split("/", 3).join("/"), text.length);
    }
    const lost = [...acknowledged.keys()].filter((key) => !stored.has(key) && !pending.has(key));
    expect(lost).toEqual([]);
    for (const [key, length] of pending) {
      expect(acknowledged.get(key) ?? length).toBe(length);
    }
    expect(journal.stats()).toMatchObject({ corruptRanges: 0, lostFrames: 0, healthy: true });
    await journal.append({ payload: Buffer.from("fresh"), spans: 1 });
    await journal.close();
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}, 300_000);
