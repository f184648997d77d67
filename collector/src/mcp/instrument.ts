/** @module Instrument: the page about a framework, from the documentation. */
import { z } from "zod";

import { AnswerText, value } from "./answer-text.ts";
import { guideFor } from "./guide-names.ts";
import guides from "./guides.json" with { type: "json" };
import { tool } from "./tool.ts";
import type { Tool } from "./tool.ts";

const names = Object.keys(guides);
const pages: Readonly<Record<string, readonly string[]>> = guides;

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
    const found = guideFor(framework, names);
    const text = new AnswerText();
    const none = `There is no page about ${value(framework)}.`;
    if (found === undefined) {
      text.always(
        `${none} Any library that sends OpenTelemetry spans over OTLP is received; the nearest page ` +
          "is other-languages, and node-sdk in Node.",
      );
      text.add(`Pages: ${names.join(", ")}.`);
    } else {
      const { page, exact, also } = found;
      if (!exact) text.always(`${none} The nearest is ${page}: OpenTelemetry over OTLP.`);
      if (also.length > 0) text.always(`See also the page ${also.join(", ")}.`);
      text.add(...(pages[page] ?? []));
    }
    return text.end(`send to: OTEL_EXPORTER_OTLP_ENDPOINT=${request.link("")}`);
  },
});
