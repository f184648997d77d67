/**
 * @module Config values: how single variables are read. What is wrong is said in a sentence without
 * the value.
 */
import { limits } from "@turnproof/semconv";
import { z } from "zod";

import { traceTemplateProblem } from "./display/trace-link.ts";

/** Text that is not empty. */
export const text = z.string().trim().min(1);
/** `true` or `false`. */
export const flag = z
  .enum(["true", "false"], "say true or false")
  .transform((value) => value === "true");
/** Parts between commas. */
export const list = text.transform((value) =>
  value
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== ""),
);
/** A token as it is typed and sent. */
export const token = z
  .string()
  .min(limits.tokenCharsMin, `a token has at least ${limits.tokenCharsMin} characters`)
  .regex(/^[\x21-\x7e]+$/, "a token has no spaces or control characters");

/** Origins between commas. */
export const origins = list.transform((parts, context): readonly string[] =>
  parts.map((part) => {
    const url = URL.canParse(part) ? new URL(part) : undefined;
    if (url === undefined || url.origin === "null" || !/^https?:$/.test(url.protocol)) {
      context.addIssue({ code: "custom", message: "an origin is http(s)://host[:port]" });
    }
    return url?.origin ?? "";
  }),
);

/** Address of a trace in another backend. */
export const traceTemplate = text.superRefine((value, context) => {
  const message = traceTemplateProblem(value);
  if (message !== undefined) context.addIssue({ code: "custom", message });
});
