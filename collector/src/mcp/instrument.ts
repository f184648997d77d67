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
      .describe(`One of: ${names.join(", ")}.`),
  },
  async answer(request, { framework }) {
    const requested = bare(framework);
    const name =
      names.find((one) => bare(one) === requested) ??
      names.find(
        (one) =>
          requested.length > 2 && (bare(one).includes(requested) || requested.includes(bare(one))),
      );
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
