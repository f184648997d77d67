/**
 * @module The package of pipelines as it is published: small, without a server or an engine, and
 * run by the steps of the GitHub Action and of the GitLab templates as they stand.
 */
import { execFile } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";

import { billOf } from "../../generate/sbom.ts";
import { end, tool } from "../contracts/turns.ts";
import { firstNode, withoutFirstNode } from "./first-node.ts";
import { root } from "./packed-files.ts";

const app = mkdtempSync(join(tmpdir(), "turnproof-ci-"));
const home = join(app, "home");
afterAll(() => rmSync(app, { recursive: true }));

interface Ran {
  readonly code: number;
  readonly out: string;
}

function run(file: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  // No registry answers: what is installed has to be enough.
  const npm = { npm_config_offline: "true", npm_config_audit: "false", npm_config_fund: "false" };
  const own = { PATH: process.env["PATH"] ?? "", HOME: home, ...npm, ...env };
  return new Promise<Ran>((done) => {
    execFile(file, [...args], { cwd: app, env: own }, (error, out, err) => {
      done({ code: error === null ? 0 : Number(error.code), out: `${out}${err}` });
    });
  });
}

const turns = [tool("lookup", 10), tool("refund", 80), end()];
const contract = (most: number): string =>
  `version: 1\ncontracts:\n  - name: refund\n    expect:\n` +
  `      - { clause: calls, tool: refund, at_most: ${most} }\n`;

beforeAll(async () => {
  mkdirSync(home);
  for (const folder of ["packages/ci", "node_modules/@pydantic/genai-prices"]) {
    const packing = ["pack", join(root, folder), "--ignore-scripts", "--pack-destination", app];
    expect(await run("npm", packing)).toMatchObject({ code: 0 });
  }
  const tarballs = readdirSync(app).filter((name) => name.endsWith(".tgz"));
  const installed = await run("npm", ["install", ...tarballs.map((name) => `./${name}`)]);
  expect(installed, installed.out).toMatchObject({ code: 0 });
  writeFileSync(join(app, "kept.yaml"), contract(1));
  writeFileSync(join(app, "broken.yaml"), contract(0));
  writeFileSync(join(app, "events.json"), JSON.stringify(turns));
  const other = turns.map((event) => ({ ...event, root_trace_id: "other", turn_id: "other" }));
  writeFileSync(join(app, "other.json"), JSON.stringify(other));
});

function bytesOf(path: string): number {
  const is = statSync(path);
  if (!is.isDirectory()) return is.size;
  return readdirSync(path).reduce((sum, name) => sum + bytesOf(join(path, name)), 0);
}

test("an install has two packages and at most 15 MB", () => {
  const modules = join(app, "node_modules");
  const scopes = readdirSync(modules).filter((name) => !name.startsWith("."));
  expect(scopes.flatMap((scope) => readdirSync(join(modules, scope)))).toEqual([
    "genai-prices",
    "ci",
  ]);
  expect(bytesOf(modules)).toBeLessThan(15_000_000);
});

test("the bill and the licenses name what is inside the bundle", () => {
  const dist = join(app, "node_modules/@turnproof/ci/dist");
  const read = (name: string): string => readFileSync(join(dist, name), "utf8");
  const inside = JSON.parse(read("bundled-packages.json")) as { name: string; version: string }[];
  // Its files of contracts are read by this one.
  expect(inside.map(({ name }) => name)).toContain("yaml");
  const { components } = billOf("packages/ci") as { components: { name: string }[] };
  const listed = components.map(({ name }) => name);
  expect(listed).toEqual(expect.arrayContaining(inside.map(({ name }) => name)));
  for (const { name, version } of inside)
    expect(read("THIRD-PARTY-LICENSES.txt")).toContain(`${name} ${version} (`);
});

const node = await firstNode();
if (node === undefined) process.stderr.write(`ci: ${withoutFirstNode}\n`);

test.skipIf(node === undefined)("a runner's Node 20 runs it", async () => {
  const own = { PATH: `${dirname(node ?? "")}:${process.env["PATH"] ?? ""}` };
  const args = ["check", "--contract", "broken.yaml", "--events", "events.json", "--whole"];
  const ran = await run(node ?? "", [join("node_modules/.bin/turnproof-ci"), ...args], own);
  expect(ran).toMatchObject({ code: 1, out: expect.stringContaining("1 violated") });
  writeFileSync(join(app, "own.mjs"), 'import { defineContract } from "@turnproof/contracts";');
  const missing = await run("npx", ["turnproof-ci", "check", "--contract", "own.mjs"]);
  expect(missing.code).toBe(2);
  expect(missing.out).toContain("install what it imports, for example @turnproof/contracts");
});

interface Step {
  readonly shell: string;
  readonly run: string;
  readonly env: Readonly<Record<string, string>>;
}
interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}
const action = parse(readFileSync(join(root, "packages/ci/action.yml"), "utf8")) as Action;

/** Runs the action's step as a runner does: expressions of inputs become variables. */
async function act(
  given: Readonly<Record<string, string>>,
  more: Readonly<Record<string, string>> = {},
): Promise<Ran & { summary: string }> {
  const [step] = action.runs.steps;
  if (step === undefined) throw new Error("the action has no step");
  const values = Object.entries(action.inputs).map(([name, { default: usual }]) => [
    name,
    given[name] ?? usual,
  ]);
  const inputs = Object.fromEntries(values) as Readonly<Record<string, string>>;
  const env = Object.fromEntries(
    Object.entries(step.env).map(([name, text]) => [
      name,
      text.replace(/\$\{\{ inputs\.(\w+) \}\}/g, (_all, input: string) => inputs[input] ?? ""),
    ]),
  );
  const files = { GITHUB_STEP_SUMMARY: join(app, "summary"), GITHUB_OUTPUT: join(app, "output") };
  for (const file of Object.values(files)) writeFileSync(file, "");
  expect(step.run).not.toContain("${{");
  // As a runner does for `shell: bash`.
  const script = join(app, "step.sh");
  writeFileSync(script, step.run);
  expect(step.shell).toBe("bash");
  const shell = ["--noprofile", "--norc", "-eo", "pipefail", script];
  const ran = await run("bash", shell, { ...env, ...files, ...more });
  expect(readFileSync(files.GITHUB_OUTPUT, "utf8")).toBe(`result=${ran.code}\n`);
  return { ...ran, summary: readFileSync(files.GITHUB_STEP_SUMMARY, "utf8") };
}

test("the action checks: a summary, annotations, and the exit code", async () => {
  expect(action.runs.using).toBe("composite");
  const args = "--events\nevents.json\n--whole";
  const kept = await act({ contract: "kept.yaml", args });
  expect(kept).toMatchObject({
    code: 0,
    summary: expect.stringContaining("it holds on every turn"),
  });
  const violated = await act({ contract: "broken.yaml", args });
  expect(violated).toMatchObject({ code: 1, summary: expect.stringContaining("violated") });
  expect(violated.out).toContain("::error file=broken.yaml");
});

/** Values that run a command where an input becomes a part of the text of a shell. */
const hostile = [
  "x$(touch hacked)`touch hacked`${IFS}",
  'x"; touch hacked; "',
  "x'; touch hacked; '\n--events=events.json\nEOF\ntouch hacked | touch hacked #\n",
];

/** Inputs by what is run before one of them ends it: the others of a line are in the same call. */
const given: readonly (readonly string[])[] = [
  ["command"],
  ["version"],
  ["contract", "url", "token", "args"],
  ["baseline", "candidate"],
];

test("every input of the action is given below", () => {
  expect(given.flat().toSorted()).toEqual(Object.keys(action.inputs).toSorted());
});

test.each(given.map((inputs) => [inputs.join(", "), inputs] as const))(
  "the action never runs its input %s",
  { timeout: 120_000 },
  async (_names, inputs) => {
    const usual = inputs.includes("baseline")
      ? { command: "gate", args: "--whole" }
      : { contract: "kept.yaml", args: "--whole" };
    for (const value of hostile) {
      const own = inputs.map((input) => [input, value.replaceAll("hacked", `hacked-${input}`)]);
      const ran = await act({ ...usual, ...Object.fromEntries(own) });
      // An address and a token are of no use where no collector answers, nor here.
      expect([value, ran.code]).not.toEqual([value, 0]);
      expect(readdirSync(app).filter((name) => name.startsWith("hacked"))).toEqual([]);
    }
  },
);

test("an input is the value of its option, whatever it begins with", async () => {
  const args = "--events\nevents.json";
  const ran = await act({ contract: "--whole", args });
  // Read as a flag it would vouch for the file, and judge the default contract.
  expect(ran).toMatchObject({ code: 2, out: expect.stringContaining("file_unreadable") });
  const other = await act({ command: "export", args });
  expect(other).toMatchObject({ code: 2, out: expect.stringContaining("check or gate") });
});

test("the action compares two files of events", async () => {
  const compared = await act({
    command: "gate",
    baseline: "events.json",
    candidate: "other.json",
    args: "--whole",
  });
  // One turn on each side decides nothing.
  expect(compared).toMatchObject({
    code: 3,
    summary: expect.stringMatching(/not enough evidence/i),
  });
});

test("the summary states what is wrong where nothing is judged", async () => {
  const events = "--events\nevents.json";
  writeFileSync(join(app, "wrong.yaml"), contract(1).replace("at_most", "at_mots"));
  const wrong = await act({ contract: "wrong.yaml", args: events });
  expect(wrong.code).toBe(2);
  expect(wrong.summary).toMatch(
    /^## turnproof check\n\n\*\*A wrong call or a wrong contract[^]*```text\n[^]*wrong\.yaml[^]*contract_invalid/,
  );
  expect(wrong.out).toContain("::error::A wrong call or a wrong contract: nothing is judged.");
  const option = await act({ contract: "kept.yaml", args: `${events}\n--colour` });
  expect(option.code).toBe(2);
  expect(option.summary).toContain("--colour");
  // A runner has the variable CI, with which colours would be on.
  const away = { url: "http://127.0.0.1:9", contract: "kept.yaml" };
  const side = { command: "gate", baseline: "release:1", candidate: "release:2" };
  for (const given of [away, { ...away, ...side }]) {
    const alone = await act(given, { CI: "true" });
    expect(alone.code).toBe(4);
    expect(alone.summary).toMatch(/\*\*Nothing is judged[^]*```text\n[^]*\(unreachable\)/);
    expect(alone.summary).not.toContain("\u001B");
  }
  writeFileSync(join(app, "none.json"), "[]");
  const none = await act({ contract: "kept.yaml", args: "--events\nnone.json" });
  expect(none).toMatchObject({ code: 4, summary: expect.stringContaining("Nothing is judged") });
  // npx ends with 1 then, which is no violation.
  const version = await act({ contract: "kept.yaml", args: events, version: "9.9.9" });
  expect(version).toMatchObject({ code: 4, summary: expect.stringContaining("Nothing is judged") });
  const other = await act({ command: "export", args: events });
  expect(other.summary).toContain("The input command is check or gate.");
});

interface Job {
  readonly script: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}

test(
  "the GitLab templates run as they stand, and none of their variables",
  { timeout: 180_000 },
  async () => {
    const text = readFileSync(join(root, "packages/ci/gitlab.yml"), "utf8");
    const jobs = parse(text) as Readonly<Record<string, Job>>;
    const job = (name: string, more: Readonly<Record<string, string>>): Promise<Ran> => {
      const { script = [], variables } = jobs[name] ?? {};
      return run("bash", ["-e", "-c", script.join("\n")], { ...variables, ...more });
    };
    const usual = { CONTRACT: "kept.yaml", BASELINE: "events.json", CANDIDATE: "other.json" };
    const variables = {
      ".turnproof-check": [["CONTRACT", "ARGUMENTS"], ["PACKAGE_VERSION"]],
      ".turnproof-gate": [["BASELINE", "CANDIDATE", "CONTRACT", "ARGUMENTS"]],
    };
    for (const value of hostile) {
      for (const [name, lines] of Object.entries(variables)) {
        for (const names of lines) {
          const own = names.map((one) => [one, value.replaceAll("hacked", `hacked-${one}`)]);
          const more = { ...usual, ARGUMENTS: "--whole", ...Object.fromEntries(own) };
          expect((await job(name, more)).code).not.toBe(0);
        }
      }
      expect(readdirSync(app).filter((name) => name.startsWith("hacked"))).toEqual([]);
    }
    const events = { ARGUMENTS: "--events events.json --whole" };
    const checked = await job(".turnproof-check", { CONTRACT: "broken.yaml", ...events });
    expect(checked.code).toBe(1);
    expect(readFileSync(join(app, "turnproof.xml"), "utf8")).toContain("<failure");
    const compared = await job(".turnproof-gate", {
      CONTRACT: "kept.yaml",
      BASELINE: "events.json",
      CANDIDATE: "other.json",
      ARGUMENTS: "--whole",
    });
    expect(compared.code).toBe(3);
    expect(readFileSync(join(app, "turnproof-gate.md"), "utf8")).toMatch(/not enough evidence/i);

    // Where nothing is judged, a report of an earlier run is gone, and this one states the reason.
    const junit = (): string => readFileSync(join(app, "turnproof.xml"), "utf8");
    writeFileSync(join(app, "misspelt.yaml"), contract(1).replace("at_most", "at_mots"));
    const wrong = await job(".turnproof-check", { CONTRACT: "misspelt.yaml", ...events });
    expect(wrong).toMatchObject({ code: 2, out: expect.stringContaining("contract_invalid") });
    expect(junit()).toMatch(/errors="1"[^]*A wrong call or a wrong contract[^]*contract_invalid/);
    const option = await job(".turnproof-check", {
      CONTRACT: "kept.yaml",
      ARGUMENTS: "--colour=<a&b>",
    });
    expect(option.code).toBe(2);
    expect(junit()).toContain("--colour=&lt;a&amp;b&gt;");
    const away = { CONTRACT: "kept.yaml", TURNPROOF_URL: "http://127.0.0.1:9", CI: "true" };
    expect((await job(".turnproof-check", away)).code).toBe(4);
    expect(junit()).toMatch(/<error message="Nothing is judged[^]*\(unreachable\)/);
    const missing = { CONTRACT: "kept.yaml", ...events, PACKAGE_VERSION: "9.9.9" };
    expect((await job(".turnproof-check", missing)).code).toBe(4);
    const sides = { ...away, BASELINE: "release:1", CANDIDATE: "release:2" };
    expect((await job(".turnproof-gate", sides)).code).toBe(4);
    const page = readFileSync(join(app, "turnproof-gate.md"), "utf8");
    expect(page).toMatch(/^## turnproof gate\n\n\*\*Nothing is judged[^]*\(unreachable\)/);
    expect(page).not.toContain("\u001B");
  },
);
