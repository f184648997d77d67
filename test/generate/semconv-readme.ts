/**
 * @module Semconv README: the tables of attributes, limits and codes that stand between markers in
 * packages/semconv/README.md, made from the registry itself.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { codes, limits, registryRows } from "@turnproof/semconv";
import type { AttributeRow, CodeRow } from "@turnproof/semconv";

import { measured, promptsThatPass, unmarkedSecrets } from "../suite/semconv/confusion.ts";
import type { Measured } from "../suite/semconv/confusion.ts";

/** The README that holds the tables. */
export const semconvReadmeFile: string = fileURLToPath(
  new URL("../../packages/semconv/README.md", import.meta.url),
);

const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(head), row(head.map(() => "---")), ...rows.map(row)].join("\n");

function kindsOf(each: AttributeRow): string {
  return each.kinds === "all" ? "all" : each.kinds.map((kind) => `\`${kind}\``).join(" ");
}

function shapeOf(each: AttributeRow): string {
  if (each.values === undefined) return each.shape;
  if (each.values.length > 8) return `${each.values.length} closed values`;
  return each.values.map((value) => `\`${value === "" ? '""' : value}\``).join(" ");
}

/** A link to the heading or the registry that the attribute comes from. */
function sourceOf({ source }: AttributeRow): string {
  if (source.startsWith("docs/")) {
    const [, document = ""] = /([a-z]+)\.md/.exec(source) ?? [];
    return `[${document}](../../${source})`;
  }
  return `[${source.includes("semantic-conventions-genai") ? "GenAI" : "OpenTelemetry"}](${source})`;
}

function attributesTable(): string {
  return table(
    [
      "span attribute",
      "event field",
      "meaning",
      "examples",
      "type",
      "holds",
      "shape",
      "carried by",
      "stability",
      "source",
    ],
    registryRows.map((each) => [
      `\`${each.span}\``,
      `\`${each.event}\``,
      each.brief,
      each.examples.map((value) => `\`${value}\``).join(" "),
      each.type,
      each.holds,
      shapeOf(each),
      kindsOf(each),
      each.stability,
      sourceOf(each),
    ]),
  );
}

function limitsTable(): string {
  return table(
    ["limit", "value"],
    Object.entries(limits).map(([name, value]) => [`\`${name}\``, value.toLocaleString("en-US")]),
  );
}

function codesTable(): string {
  return table(
    ["code", "HTTP", "may pass later", "sentence"],
    Object.entries<CodeRow>(codes).map(([name, code]) => [
      `\`${name}\``,
      code.status === undefined ? "" : String(code.status),
      code.retryable === true ? "yes" : "",
      code.sentence,
    ]),
  );
}

const share = (right: number, texts: number): string => `${((100 * right) / texts).toFixed(1)} %`;

function measuredRow(
  { corpus, places, texts, right, wrong }: Measured,
  verb: "refused" | "kept",
): readonly string[] {
  const not = wrong.length === 0 ? "" : wrong.map((each) => `\`${each}\``).join(" ");
  const count = texts.toLocaleString("en-US");
  return [corpus, places, count, `${share(right, texts)} ${verb}`, not];
}

/** What is refused and what is kept, corpus by corpus, and what cannot be distinguished. */
function confusionTable(): string {
  const { secret, kept } = measured();
  const { known, heldOut } = promptsThatPass();
  const bare = unmarkedSecrets();
  const prompts = (name: string, { texts, passed }: { texts: number; passed: string[] }) => [
    name,
    "name",
    String(texts),
    `${share(texts - passed.length, texts)} refused`,
    passed.length > 8 ? `${passed.length} pass` : passed.map((each) => `\`${each}\``).join(" "),
  ];
  return table(
    ["corpus", "place", "texts", "share", "what is not"],
    [
      ...secret.map((each) => measuredRow(each, "refused")),
      [...measuredRow(bare, "refused").slice(0, 4), bare.wrong.join("; ")],
      prompts("Prompts that the rules were made with, 30 languages", known),
      prompts("Prompts held out", heldOut),
      ...kept.map((each) => measuredRow(each, "kept")),
    ],
  );
}

/** The README with its tables made anew; the text around the markers is kept as it is. */
export function semconvReadme(): string {
  const tables = {
    confusion: confusionTable(),
    attributes: attributesTable(),
    limits: limitsTable(),
    codes: codesTable(),
  };
  let text = readFileSync(semconvReadmeFile, "utf8");
  for (const [name, made] of Object.entries(tables)) {
    const open = `<!-- generated: ${name} -->`;
    const close = `<!-- end: ${name} -->`;
    const from = text.indexOf(open);
    const to = text.indexOf(close);
    if (from === -1 || to < from) throw new Error(`README has no markers for ${name}`);
    text = `${text.slice(0, from + open.length)}\n${made}\n${text.slice(to)}`;
  }
  return text;
}
