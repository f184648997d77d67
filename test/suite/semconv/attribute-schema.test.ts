/**
 * The JSON Schema of span attributes: it admits every name that a collector reads from a span, the
 * spans of the conformance file and those of the pages about instrumenting, and refuses others.
 */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { Ajv2020 } from "ajv/dist/2020.js";
import { codingNames, dialectTables, registryRows, sourceAttributeNames } from "@turnproof/semconv";
import { describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

interface Property {
  readonly examples?: readonly unknown[];
  readonly "x-alias-of"?: readonly string[];
}

const schema = JSON.parse(read("packages/semconv/attributes.schema.json")) as {
  readonly properties: Readonly<Record<string, Property>>;
};
const ajv = new Ajv2020({ strict: true });
ajv.addVocabulary(["x-event-name", "x-shape", "x-stability", "x-kinds"]);
ajv.addVocabulary(["x-alias-of", "x-dialects"]);
const valid = ajv.compile(schema);

interface Case {
  readonly name: string;
  readonly spans: readonly { readonly name: string; readonly attributes?: object }[];
  readonly refused?: readonly string[];
}

const { cases } = JSON.parse(read("packages/semconv/conformance.json")) as {
  readonly cases: readonly Case[];
};

test("it admits every example of the registry", () => {
  for (const { span, type, examples } of registryRows) {
    const values = type.endsWith("[]") ? [examples] : examples;
    for (const value of values) {
      expect([span, value, valid({ [span]: value })]).toEqual([span, value, true]);
    }
  }
});

test("it has every name that a span is read by, and none that only logs have", () => {
  const tables = dialectTables.flatMap((table) => [
    ...table.marks,
    ...[...table.kindRules, ...table.names, ...table.identity].map(({ source }) => source),
  ]);
  const ofSpans = new Set([...registryRows.map(({ span }) => span), ...tables]);
  expect(Object.keys(schema.properties).toSorted()).toEqual([...ofSpans].toSorted());
  const others = [...sourceAttributeNames].filter((name) => !ofSpans.has(name));
  const ofLogs: readonly string[] = Object.values(codingNames);
  expect(others.filter((name) => !ofLogs.includes(name))).toEqual([]);
});

test("an alias names attributes of the registry and takes their values as they are written", () => {
  const spans = new Set(registryRows.map(({ span }) => span));
  for (const [name, property] of Object.entries(schema.properties)) {
    const targets = property["x-alias-of"];
    expect([name, targets === undefined]).toEqual([name, spans.has(name)]);
    for (const target of targets ?? []) expect([name, spans.has(target)]).toEqual([name, true]);
  }
  for (const [name, value] of [
    ["user.id", "user-1"],
    ["gen_ai.system", "openai"],
    ["traceloop.span.kind", "workflow"],
    ["traceloop.association.properties.user_id", "user-1"],
    ["gen_ai.server.time_to_first_token", 0.41],
    ["ai.response.finishReason", "tool-calls"],
    ["gen_ai.response.finish_reasons", '["stop"]'],
    ["openinference.span.kind", "LLM"],
    ["langfuse.observation.usage_details", '{"input":3}'],
  ] as const) {
    expect([name, valid({ [name]: value })]).toEqual([name, true]);
  }
});

describe.each(cases.map((one) => [one.name, one] as const))("the case %s", (_name, one) => {
  test("has spans that it admits, less the attributes that the case lists as refused", () => {
    const refused = new Set<string>();
    for (const { name, attributes = {} } of one.spans) {
      const kept = Object.entries(attributes).filter(([key]) => {
        if (one.refused?.includes(key) !== true) return true;
        refused.add(key);
        return false;
      });
      for (const key of refused) expect([key, valid({ [key]: "text" })]).toEqual([key, false]);
      expect([name, valid(Object.fromEntries(kept)), valid.errors]).toEqual([name, true, null]);
    }
    expect([...refused]).toEqual(one.refused ?? []);
  });
});

/** A name and what is written for it: Python and TypeScript, then calls of Go, Java and spans. */
const names = /"([a-z_]+(?:\.\w+)+)"/.source;
const values = /("[^"]*"|\w+|(?:\[\]string|new String\[\] )?[[{][^\]}]*[\]}])/.source;
const calls = /(?:attribute\.\w+|\.put|\.set_?[aA]ttribute)\(/.source;
const pairs = [
  new RegExp(`${names}: *${values}`, "g"),
  new RegExp(`${calls}${names}, ${values}`, "g"),
];

/** The value of an expression; undefined for a variable. */
function literal(text: string): unknown {
  const list = /^(?:\[\]string|new String\[\] )?[[{](.*)[\]}]$/.exec(text)?.[1];
  if (list !== undefined) return list.split(", ").map((one) => literal(one) ?? "id-1");
  if (/^(?:true|false|\d+)$/i.test(text)) return JSON.parse(text.toLowerCase());
  return text.startsWith('"') ? JSON.parse(text) : undefined;
}

const pages = readdirSync(join(root, "docs/instrument")).filter((name) => name.endsWith(".md"));

test("it admits each attribute that a recipe writes", () => {
  const seen = new Map<string, number>();
  for (const page of pages) {
    const blocks = [...read(`docs/instrument/${page}`).matchAll(/```(\w+)\n([^]*?)```/g)];
    for (const [, language = "", code = ""] of blocks) {
      if (!["python", "go", "java", "ts", "js", "mjs"].includes(language)) continue;
      const written = pairs.flatMap((pair) => [...code.matchAll(pair)]);
      for (const [, name = "", expression = ""] of written) {
        const known = schema.properties[name];
        expect([page, name, known !== undefined]).toEqual([page, name, true]);
        const value = literal(expression) ?? known?.examples?.[0] ?? "id-1";
        expect([page, name, value, valid({ [name]: value })]).toEqual([page, name, value, true]);
        seen.set(page, (seen.get(page) ?? 0) + 1);
      }
    }
  }
  const written = [...seen].filter(([, count]) => count > 3).map(([page]) => page);
  for (const page of ["go.md", "java.md", "other-languages.md", "python.md", "to-success.md"]) {
    expect(written).toContain(page);
  }
});

test("it refuses an unknown name, another type and an open value of a closed attribute", () => {
  for (const bad of [
    { "app.note": "x" },
    { model: "gpt-x" },
    { "user.email": "a" },
    { "gen_ai.usage.input_tokens": "12" },
    { "gen_ai.usage.prompt_tokens": "12" },
    { "user.id": 7 },
    { "turnproof.event.kind": "party" },
    { "turnproof.input.refs": "doc-1" },
  ]) {
    expect([bad, valid(bad)]).toEqual([bad, false]);
  }
});
