/**
 * @module HelpCommand: a command whose help texts fit a terminal, and whose errors have the form of
 * all errors. Commander wraps its own texts alone.
 */
import { Command, CommanderError } from "commander";
import type { AddHelpTextContext, AddHelpTextPosition, ErrorOptions } from "commander";

import { exitCodes, fail, printJson } from "./terminal.ts";
import { capital } from "../ui/display/capital.ts";

type HelpText = string | ((context: AddHelpTextContext) => string);

/** Columns of a terminal as it opens. */
const columns = 80;

/** A command, and all commands below it, with help texts of at most 80 columns. */
export class HelpCommand extends Command {
  override createCommand(name?: string): HelpCommand {
    return new HelpCommand(name);
  }

  override addHelpText(position: AddHelpTextPosition, text: HelpText): this {
    // The declared overloads take one form of text each.
    return super.addHelpText(position, (context) =>
      inColumns(typeof text === "string" ? text : text(context)),
    );
  }

  /** An error of the arguments: with `--json` it is on stdout as well. */
  override error(message: string, { code: kind = "commander.error" }: ErrorOptions = {}): never {
    const detail = sentenceOf(message);
    const code = "arguments_invalid";
    // The options are not parsed yet.
    if (process.argv.includes("--json")) printJson({ code, detail });
    const shown =
      this.parent === null || this.commands.length > 0 ? "the commands" : "what it takes";
    const text = `${detail} \`${this.#path()} --help\` shows ${shown}. (${code})`;
    // The first line begins with the word that `fail` puts before it.
    fail(inColumns(`error ${text}`).slice("error ".length), exitCodes.usage);
    throw new CommanderError(exitCodes.usage, kind, detail);
  }

  /** As it is typed: `turnproof audit verify`. */
  #path(): string {
    const { parent } = this;
    return parent instanceof HelpCommand ? `${parent.#path()} ${this.name()}` : this.name();
  }
}

/** Commander's messages begin with `error: `, in lower case, and may propose a word in brackets. */
function sentenceOf(message: string): string {
  const [first = "", ...rest] = message.replace(/^error: /, "").split("\n");
  const sentence = capital(first);
  const proposed = rest.map((line) => line.replace(/^\((.*)\)$/, "$1"));
  return [/[.?!]$/.test(sentence) ? sentence : `${sentence}.`, ...proposed].join(" ");
}

/**
 * The text with its paragraphs filled anew. Lines that are indented are examples or tables: they
 * keep their form and are written to fit.
 */
export function inColumns(text: string): string {
  const parts: string[] = [];
  let isProse = false;
  for (const line of text.split("\n")) {
    const continues = isProse && /^\S/.test(line);
    if (continues) parts.push(`${parts.pop() ?? ""} ${line}`);
    else parts.push(line);
    isProse = /^\S/.test(line);
  }
  return parts.map((part) => (/^\S/.test(part) ? filled(part) : part)).join("\n");
}

function filled(paragraph: string): string {
  const lines: string[] = [];
  for (const word of paragraph.split(" ")) {
    const longer = `${lines.at(-1) ?? ""} ${word}`;
    if (lines.length > 0 && longer.length <= columns) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.join("\n");
}
