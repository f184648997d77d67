/** @module Second judge: secretlint's recommended rules, which share no line with the guard. */
import { lintSource } from "@secretlint/core";
import { creator } from "@secretlint/secretlint-rule-preset-recommend";

const preset = "@secretlint/secretlint-rule-preset-recommend";

/** Lines (from 1) of the text in which the judge sees a secret, with the rule that finds it. */
export async function judge(text: string): Promise<ReadonlyMap<number, string>> {
  const { messages } = await lintSource({
    source: { filePath: "text.txt", content: text, ext: ".txt", contentType: "text" },
    options: { config: { rules: [{ id: preset, rule: creator, options: {} }] } },
  });
  return new Map(messages.map((message) => [message.loc.start.line, message.ruleId]));
}

/** Of these texts, those in which the judge sees a secret. */
export async function judged(texts: readonly string[]): Promise<readonly string[]> {
  const flat = texts.map((text) => text.replaceAll(/[\r\n]/g, " "));
  const found = await judge(flat.join("\n"));
  return texts.filter((_, at) => found.has(at + 1));
}
