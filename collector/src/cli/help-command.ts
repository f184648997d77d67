/**
 * @module HelpCommand: a command whose help texts fit a terminal. Commander wraps its own alone.
 */
import { Command } from "commander";
import type { AddHelpTextContext, AddHelpTextPosition } from "commander";

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
