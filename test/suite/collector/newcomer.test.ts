/**
 * The command line as a newcomer finds it: help that teaches, errors with
 * what to do next, the same failure for people and for programs, exit codes.
 */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { createProgram } from "../../../collector/src/cli/program.ts";
import { startCollector } from "../faults/collector-child.ts";
import type { CollectorChild } from "../faults/collector-child.ts";

const launcher = join(import.meta.dirname, "../../../collector/bin/turnproof.js");
const token = "operator-q7KxZt4Wm9Rc2Yd8";
const folder = (): string => mkdtempSync(join(tmpdir(), "turnproof-newcomer-"));

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function turnproof(args: readonly string[], env: Record<string, string> = {}): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [launcher, ...args],
      { cwd: folder(), env: { PATH: process.env["PATH"], ...env } },
      (error, out, err) => resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    );
  });
}

let dataDir: string;
let collector: CollectorChild;
/** A port without a listener, which no other test gets. */
const silent = "http://127.0.0.1:1";

beforeAll(async () => {
  dataDir = folder();
  collector = await startCollector(dataDir, {
    TURNPROOF_BACKEND: "filesystem",
    TURNPROOF_UI_AUTH_TOKEN: token,
  });
});
afterAll(() => collector.stop());

const program = await createProgram();

describe("help", () => {
  const commands = program.commands.flatMap((command) =>
    command.commands.length === 0 ? [command] : command.commands,
  );

  test.each(commands.map((command) => [command.name(), command] as const))(
    "%s says what it does, what its options are and when it has failed",
    (_name, command) => {
      expect(command.description().length).toBeGreaterThan(15);
      for (const option of command.options) {
        expect([option.flags, option.description.length > 5]).toEqual([option.flags, true]);
      }
      const known = command.options.map((option) => option.long);
      if (!["ui", "mcp"].includes(command.name())) expect(known).toContain("--json");
    },
  );

  test("the first one teaches the first two steps and the exit codes", async () => {
    const { code, out } = await turnproof(["--help"]);
    expect(code).toBe(0);
    for (const word of ["OTEL_EXPORTER_OTLP_ENDPOINT", "Exit codes", "--url", "doctor"]) {
      expect(out).toContain(word);
    }
  });

  test.each([
    ["fnd", "did you mean find?"],
    ["docter", "did you mean doctor?"],
    ["reconcil", "did you mean reconcile?"],
    ["xyz", "ui, canary, reconcile"],
  ])("turnproof %s", async (word, stated) => {
    const { code, err } = await turnproof([word]);
    expect([code, err]).toEqual([2, expect.stringContaining(stated)]);
  });
});

test.each([
  [["tail", "--count", "x"], "--count"],
  [["tail", "--count", "0"], "--count"],
  [["canary", "--count", "1001"], "--count"],
  [["canary", "--timeout", "x"], "--timeout"],
  [["canary", "--timeout", "0"], "--timeout"],
])("a wrong value is a wrong call: %j", async (args, named) => {
  const { code, err } = await turnproof([...args, "--url", silent]);
  expect([code, err]).toEqual([2, expect.stringContaining(named)]);
});

test.each([
  [
    ["docter"],
    "There is no command of that name; did you mean doctor?",
    "turnproof --help` shows the commands",
  ],
  [
    ["find", "x", "--jsn"],
    "Unknown option '--jsn'. Did you mean --json?",
    "turnproof find --help` shows what it takes",
  ],
  [["find"], "Missing required argument 'id'.", "turnproof find --help` shows what it takes"],
  [
    ["restore"],
    "Required option '--from <folder>' not specified.",
    "turnproof restore --help` shows what it takes",
  ],
  [
    ["audit", "verfy"],
    "Unknown command 'verfy'. Did you mean verify?",
    "turnproof audit --help` shows the commands",
  ],
])("an error of the arguments has the form of every other: %j", async (args, stated, help) => {
  const { code, out, err } = await turnproof([...args, "--json"]);
  expect([code, err.replaceAll("\n", " ").trimEnd()]).toEqual([
    2,
    `error ${stated} \`${help}. (arguments_invalid)`,
  ]);
  expect(JSON.parse(out)).toEqual({ code: "arguments_invalid", detail: stated });
});

test("commands that only look make nothing, and say what is not there", async () => {
  const place = folder();
  const retention = await turnproof(["retention", "--json", "--data-dir", place]);
  expect([retention.code, JSON.parse(retention.out)]).toEqual([
    0,
    expect.objectContaining({ stores: [] }),
  ]);
  const key = await turnproof(["audit", "key", "--data-dir", place]);
  expect([key.code, key.err]).toEqual([2, expect.stringContaining("No audit log has a key")]);
  expect(readdirSync(place)).toEqual([]);
});

test("doctor asks the collector of TURNPROOF_URL", async () => {
  const args = ["doctor", "--json", "--data-dir", folder()];
  const message = async (env: Record<string, string>): Promise<string | undefined> => {
    const { checks } = JSON.parse((await turnproof(args, env)).out) as {
      readonly checks: readonly { readonly check: string; readonly message: string }[];
    };
    return checks.find(({ check }) => check === "collector")?.message;
  };
  expect(await message({ TURNPROOF_URL: collector.url })).toBe("It runs and is ready.");
  expect(await message({ TURNPROOF_URL: silent })).toContain("None runs at this address");
});

describe("no answer", () => {
  test.each([
    [["find", "x"], 1],
    [["export"], 1],
    [["tail"], 1],
    [["canary"], 1],
    [["reconcile", "--agent", "a", "--root", "b"], 4],
  ] as const)("%j", async (args, code) => {
    const stated = await turnproof([...args, "--url", `${silent}/canary-path`, "--json"]);
    expect([stated.code, JSON.parse(stated.out)]).toEqual([
      code,
      expect.objectContaining({ code: "unreachable" }),
    ]);
    expect(stated.err).toContain(silent);
    expect(stated.err).toContain("Start it with `turnproof`");
    expect(`${stated.out}${stated.err}`).not.toContain("canary-path");
  });

  test("an address that is none is no crash", async () => {
    const stated = await turnproof(["find", "x", "--url", "no url at all"]);
    expect([stated.code, stated.err]).toEqual([2, expect.stringContaining("is not a URL")]);
  });
});

describe("a refusal", () => {
  const at = (): readonly string[] => ["--url", collector.url];

  test("without a token, and with a wrong one", async () => {
    for (const env of [{}, { TURNPROOF_TOKEN: "another-q7KxZt4Wm9Rc2Yd8" }]) {
      const stated = await turnproof(["find", "x", ...at()], env);
      expect([stated.code, stated.err]).toEqual([
        1,
        expect.stringContaining("Name a token with --token"),
      ]);
    }
  });

  test("a time that is none is named by its parameter", async () => {
    const stated = await turnproof([
      "find",
      "x",
      "--since",
      "yesterday",
      ...at(),
      "--token",
      token,
    ]);
    expect([stated.code, stated.err]).toEqual([2, expect.stringContaining("start_time")]);
    expect(stated.err).toContain("2026-11-21T09:30:00Z");
    expect(stated.err).not.toContain("yesterday");
  });

  test("a range that ends before it starts says what to swap", async () => {
    const range = ["--since", "2026-11-21", "--until", "2026-11-20", "--token", token];
    for (const command of [["find", "x"], ["export"]]) {
      const stated = await turnproof([...command, ...range, "--json", ...at()]);
      expect([command, stated.code, stated.err]).toEqual([
        command,
        2,
        expect.stringContaining("Swap --since and --until"),
      ]);
      if (command[0] === "find")
        expect(JSON.parse(stated.out)).toMatchObject({ code: "range_empty" });
    }
  });

  test("nothing to judge is no verdict", async () => {
    const call = ["reconcile", "--agent", "a", "--root", "b", "--json", ...at()];
    const stated = await turnproof(call, { TURNPROOF_TOKEN: token });
    expect([stated.code, JSON.parse(stated.out)]).toEqual([
      4,
      expect.objectContaining({ code: "trace_not_found_in_window" }),
    ]);
  });

  test("a data directory in use says whose move it is", async () => {
    for (const auth of [{}, { TURNPROOF_UI_AUTH_TOKEN: token }]) {
      const env = { TURNPROOF_DATA_DIR: dataDir, TURNPROOF_BACKEND: "filesystem", ...auth };
      const stated = await turnproof(["ui", "--port", "0"], env);
      expect([stated.code, stated.err]).toEqual([1, expect.stringContaining("journal_locked")]);
      expect(stated.err).toContain("choose another --data-dir");
    }
  });
});

describe("files that are not there, or not what they should be", () => {
  test.each([
    [["verify", "no-file"], 2, "file_unreadable"],
    [["reconcile", "--events", "no-file"], 2, "file_unreadable"],
    [["import", "no-folder"], 2, "file_unreadable"],
  ] as const)("%j", async (args, code, stated) => {
    const ran = await turnproof([...args, "--json"]);
    expect([ran.code, JSON.parse(ran.out)]).toEqual([
      code,
      expect.objectContaining({ code: stated }),
    ]);
  });

  test("an audit log that does not lie there was not verified", async () => {
    const missing = await turnproof(["audit", "verify", "--file", join(folder(), "none.jsonl")]);
    expect([missing.code, missing.err]).toEqual([
      2,
      expect.stringMatching(/No audit log or checkpoint lies at \S+none\.jsonl/),
    ]);
    const nowhere = join(folder(), "none.checkpoints");
    const shipped = await turnproof(["audit", "verify", "--checkpoints", nowhere]);
    expect([shipped.code, shipped.err]).toEqual([
      2,
      expect.stringContaining(`--checkpoints names ${nowhere}, where no file lies`),
    ]);
    const empty = join(folder(), "audit.jsonl");
    writeFileSync(empty, "");
    const first = await turnproof(["audit", "verify", "--file", empty]);
    expect([first.code, first.err]).toEqual([
      0,
      expect.stringContaining("0 records, 0 checkpoints"),
    ]);
  });
});

test("doctor looks and makes nothing", async () => {
  const place = join(folder(), "not/yet/there");
  const well = await turnproof(["doctor", "--json", "--data-dir", place]);
  const { checks } = JSON.parse(well.out) as { checks: { check: string; state: string }[] };
  expect([well.code, checks.find(({ check }) => check === "data directory")?.state]).toEqual([
    0,
    "ok",
  ]);
  expect(existsSync(place)).toBe(false);
  const ill = await turnproof(["doctor"], { TURNPROOF_PORT: "x", TURNPROOF_BACKEND: "none" });
  expect(ill.code).toBe(1);
  for (const name of ["TURNPROOF_PORT", "TURNPROOF_BACKEND"]) expect(ill.out).toContain(name);
});

test("doctor finds a damaged evidence file, says what to do, and fails", async () => {
  const place = folder();
  const file = join(place, "files", "evidence.sqlite");
  mkdirSync(join(place, "files"));
  const env = { TURNPROOF_BACKEND: "filesystem", TURNPROOF_DATA_DIR: place };
  const looked = async (): Promise<unknown> => {
    const { code, out } = await turnproof(["doctor", "--json"], env);
    const { checks } = JSON.parse(out) as { checks: { check: string }[] };
    return { code, ...checks.find(({ check }) => check === "evidence file") };
  };
  expect(await looked()).toMatchObject({ code: 0, state: "ok" });
  writeFileSync(file, "no database ".repeat(1_000));
  const message = expect.stringMatching(/^store_corrupt: .*; restore the folder from a copy/);
  expect(await looked()).toMatchObject({ code: 1, state: "fail", message });
});
