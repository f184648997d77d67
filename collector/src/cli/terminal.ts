/**
 * @module Terminal: output of commands. Data on stdout (a table, or JSON with `--json`), messages
 * on stderr, and a reliable exit code.
 */
import { stripVTControlCharacters } from "node:util";

import pc from "picocolors";

/** Exit codes of every command. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  partial: 3,
  unknown: 4,
  otherRules: 5,
  notJudged: 6,
} as const;

/** Prints a value as JSON, one document. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** Prints rows as an aligned table; without rows, the sentence. */
export function printTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  empty = "Nothing.",
): void {
  if (rows.length === 0) {
    process.stdout.write(`${empty}\n`);
    return;
  }
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => plain(row[column] ?? "").length)),
  );
  const line = (cells: readonly string[], paint: (text: string) => string): string =>
    cells
      .map((cell, column) => paint(cell) + " ".repeat((widths[column] ?? 0) - plain(cell).length))
      .join("  ")
      .trimEnd();
  const lines = [
    line(headings, pc.dim),
    ...rows.map((row) =>
      line(
        headings.map((_, column) => row[column] ?? ""),
        (text) => text,
      ),
    ),
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
}

/** Prints a progress message on stderr. */
export function write(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
}

/** Prints a failure in one sentence and sets the exit code. */
export function fail(sentence: string, code: number = exitCodes.failed): void {
  process.stderr.write(`${pc.red("error")} ${sentence}\n`);
  process.exitCode = code;
}

/** Control characters of stored text never reach the terminal (faults H6). */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, "·");
}

function plain(text: string): string {
  return stripVTControlCharacters(text);
}

/** Progress of long work; drawn on a terminal only. */
export interface ProgressBar {
  (done: number, all: number): void;
  /** Clears the line. */
  end(): void;
}

const barCells = 24;

/** A bar on stderr that is redrawn when its percentage changes. */
export function progressBar(label: string): ProgressBar {
  let drawn = -1;
  const draw = (done: number, all: number): void => {
    const percent = all === 0 ? 100 : Math.floor((Math.min(done, all) / all) * 100);
    if (!process.stderr.isTTY || percent === drawn) return;
    drawn = percent;
    const filled = Math.round((percent / 100) * barCells);
    const bar = "█".repeat(filled) + pc.dim("░".repeat(barCells - filled));
    process.stderr.write(`\r${label} ${bar} ${percent}% ${done} of ${all}`);
  };
  const end = (): void => {
    if (process.stderr.isTTY && drawn !== -1) process.stderr.write("\r\u001b[K");
  };
  return Object.assign(draw, { end });
}

/** Steps of long work, one line each; on a terminal or not. */
export interface ProgressLines {
  /** The step that begins now. */
  step(name: string): void;
  /** How far it is. */
  at(done: string): void;
  /** No line follows. */
  end(): void;
}

const lineMs = 10_000;

/**
 * Lines on stderr: the first step at once, then every ten seconds the current step, so that a log
 * of a scheduler shows that the work goes on.
 */
export function progressLines(everyMs: number = lineMs): ProgressLines {
  const begun = performance.now();
  let [latest, done] = ["", ""];
  const line = (): void => {
    const seconds = Math.round((performance.now() - begun) / 1_000);
    write([latest, done, `${seconds} s`].filter((part) => part !== "").join(", "));
  };
  const timer = setInterval(line, everyMs).unref();
  return {
    step(name) {
      const isFirst = latest === "";
      [latest, done] = [name, ""];
      if (isFirst) write(name);
    },
    at: (text) => {
      done = text;
    },
    end: () => clearInterval(timer),
  };
}

/**
 * Aborted by the first Ctrl-C, so that work ends between two steps; the second ends the process.
 */
export function interruption(): AbortSignal {
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort());
  return stop.signal;
}
