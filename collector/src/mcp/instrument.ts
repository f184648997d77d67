/** @module Instrument: the page about a framework, from the documentation. */
import { z } from "zod";

import { AnswerText, value } from "./answer-text.ts";
import guides from "./guides.json" with { type: "json" };
import { tool } from "./tool.ts";
import type { Tool } from "./tool.ts";

const names = Object.keys(guides);
const pages: Readonly<Record<string, readonly string[]>> = guides;

/** Letters and digits alone, so that `AI SDK` and `ai-sdk` are one. */
const bare = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

/** Words of a question that name no framework. */
const plain: ReadonlySet<string> = new Set([
  "a",
  "an",
  "and",
  "cli",
  "for",
  "in",
  "my",
  "sdk",
  "the",
  "with",
]);

const wordsOf = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "" && !plain.has(word));

/** Languages that OpenTelemetry has an SDK for and that have no page of their own. */
const otherLanguages: ReadonlySet<string> = new Set(
  (
    "c clojure cpp csharp dart dotnet elixir erlang haskell julia kotlin lua net perl php r ruby " +
    "rust scala swift"
  ).split(" "),
);

/** The page of a name; else of a title, then of a language, then of a text that has every word. */
function pageFor(framework: string): string | undefined {
  const requested = bare(framework);
  const named =
    names.find((one) => bare(one) === requested) ??
    names.find(
      (one) =>
        requested.length > 2 && (bare(one).includes(requested) || requested.includes(bare(one))),
    );
  const words = wordsOf(framework);
  if (named !== undefined || words.length === 0) return named;
  const withAll = (lines: (name: string) => readonly string[]): string | undefined =>
    names.find((name) => {
      const found = new Set(wordsOf(lines(name).join(" ")));
      return words.every((word) => found.has(word));
    });
  return (
    withAll((name) => (pages[name] ?? []).slice(0, 1)) ??
    (words.some((word) => otherLanguages.has(word)) ? "other-languages" : undefined) ??
    withAll((name) => pages[name] ?? [])
  );
}

/** How do I instrument this framework? */
export const instrument: Tool = tool({
  name: "how_do_i_instrument",
  title: "How do I instrument this framework?",
  description:
    "The documentation's page about a framework: what to install, the code, how to run it and what " +
    "is then seen.",
  input: {
    framework: z
      .string()
      .min(1)
      .max(64)
      .describe(`One of: ${names.join(", ")}; or a product or language that a page is about.`),
  },
  async answer(request, { framework }) {
    const name = pageFor(framework);
    const text = new AnswerText();
    if (name === undefined) {
      text.add(`There is no page about ${value(framework)}. Pages: ${names.join(", ")}.`);
      text.add("Any library that sends OpenTelemetry spans over OTLP is received.");
    } else {
      text.add(...(pages[name] ?? []));
    }
    return text.end(`send to: OTEL_EXPORTER_OTLP_ENDPOINT=${request.link("")}`);
  },
});
