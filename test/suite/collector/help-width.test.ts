/**
 * Every help fits a terminal of 80 columns, and so does the list of commands after a wrong word.
 */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { expect, test } from "vitest";

import { HelpCommand, inColumns } from "../../../collector/src/cli/help-command.ts";
import { createProgram } from "../../../collector/src/cli/program.ts";

const execute = promisify(execFile);
const file = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

const tooLong = (text: string): readonly string[] =>
  text.split("\n").filter((line) => line.length > 80);

/** The package of the collector brings its own Commander, so the type comes from there. */
type Command = Awaited<ReturnType<typeof createProgram>>;

/** The whole help of a command, texts before and after it included. */
function helpOf(command: Command): string {
  let text = "";
  command.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => 80 });
  command.outputHelp();
  return text;
}

/** A command and all below it. */
const family = (command: Command): readonly Command[] => [
  command,
  ...command.commands.flatMap(family),
];

test("every command's help has at most 80 columns", async () => {
  const commands = family(await createProgram());
  expect(commands.length).toBeGreaterThan(25);
  for (const command of commands) {
    const text = helpOf(command);
    expect(text, command.name()).toContain("Usage:");
    expect(tooLong(text), command.name()).toEqual([]);
  }
});

test.each([
  ["packages/ci/dist/main.js", "--help"],
  ["packages/ci/dist/main.js", "gate", "--help"],
  ["packages/ci/dist/main.js", "check", "--help"],
  ["packages/support-agent/bin/turnproof-support-agent.js", "--help"],
])("the help of %s %s has at most 80 columns", async (path, ...args) => {
  const { stdout } = await execute(process.execPath, [file(path), ...args]);
  expect(stdout.length).toBeGreaterThan(100);
  expect(tooLong(stdout)).toEqual([]);
});

test("a word that is no command is answered with the commands, in lines", async () => {
  // The runner of tests can force colours on every process below it.
  const env = { ...process.env, FORCE_COLOR: undefined, NO_COLOR: "1" };
  const failed = execute(process.execPath, [file("collector/dist/main.js"), "nosuch"], { env });
  const { stderr } = (await failed.catch((error: unknown) => error)) as { stderr: string };
  expect(stderr).toContain("error There is no command of that name; ui, canary");
  expect(tooLong(stderr)).toEqual([]);
});

test("prose is filled anew, examples and tables keep their form", () => {
  const long = "a word ".repeat(20).trim();
  const example = `  ${"x".repeat(90)}`;
  const text = inColumns(`\n${long}\nand more.\n\nExample:\n${example}\n`);
  expect(text.split("\n")[2]).toMatch(/^a word|^word/);
  expect(text).toContain("and more.\n\nExample:\n");
  expect(text).toContain(example);
  const command = new HelpCommand("x").addHelpText("after", () => long);
  expect(tooLong(helpOf(command))).toEqual([]);
});
