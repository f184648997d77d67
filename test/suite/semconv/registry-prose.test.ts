/** @module The registry's text about an attribute is short, true of the guard, and has a source. */
import { readFileSync } from "node:fs";

import * as conventions from "@opentelemetry/semantic-conventions";
import { registryRows, screen } from "@turnproof/semconv";
import type { AttributeRow } from "@turnproof/semconv";
import { expect, test } from "vitest";

const repository = new URL("../../../", import.meta.url);

const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, "")
    .replaceAll(" ", "-");

/** Whether a document of the repository has the heading that the source names. */
function resolves(source: string): boolean {
  const [file = "", anchor = ""] = source.split("#");
  const text = readFileSync(new URL(file, repository), "utf8");
  return [...text.matchAll(/^#+ (.+)$/gm)].some(([, heading = ""]) => anchorOf(heading) === anchor);
}

/** The row's examples as a value of its type. */
function valueOf(row: AttributeRow, example: string | number | boolean): unknown {
  return row.type.endsWith("[]") ? [example] : example;
}

test("briefs are one short sentence each, and no two are alike", () => {
  for (const { event, brief } of registryRows) {
    expect(brief, event).toMatch(/^[A-Z][^.]*\.$/);
    expect(brief.length, event).toBeLessThanOrEqual(160);
  }
  expect(new Set(registryRows.map(({ brief }) => brief)).size).toBe(registryRows.length);
});

test("the guard admits every example, and a single value of a list as a list", () => {
  for (const row of registryRows) {
    expect(row.examples.length, row.event).toBeGreaterThan(0);
    const kind = row.kinds === "all" ? "turn" : row.kinds[0]!;
    for (const example of row.examples) {
      const { kept, refused } = screen(
        { [row.span]: valueOf(row, example) },
        { names: "span", kind },
      );
      expect(refused, row.event).toEqual({});
      expect(Object.keys(kept), row.event).toEqual([row.span]);
    }
  }
});

test("sources are headings of the docs, or pages of the public registries", () => {
  const pages =
    /^https:\/\/(?:opentelemetry\.io\/docs\/specs\/semconv\/registry\/attributes\/([a-z]+)\/|github\.com\/open-telemetry\/semantic-conventions-genai\/blob\/main\/docs\/registry\/attributes\/([a-z0-9-]+)\.md)$/;
  for (const { source, span, event } of registryRows) {
    if (source.startsWith("docs/")) {
      expect(resolves(source), `${event}: ${source}`).toBe(true);
      continue;
    }
    const [, common, genAi] = pages.exec(source) ?? [];
    const namespace = (common ?? genAi ?? "none").replaceAll("-", "_");
    if (span.startsWith("turnproof.")) expect(namespace, event).toBe("gen_ai");
    else expect(span.startsWith(`${namespace}.`), `${event}: ${source}`).toBe(true);
  }
});

test("stability is that of the published conventions", () => {
  const stable = new Set(
    Object.entries(conventions).flatMap(([name, value]) =>
      name.startsWith("ATTR_") && typeof value === "string" ? [value] : [],
    ),
  );
  expect(stable.size).toBeGreaterThan(50);
  for (const { span, stability } of registryRows) {
    expect(stability, span).toBe(stable.has(span) ? "stable" : "development");
  }
});
