/**
 * @module Body: strict reading of JSON and form bodies by the schemas that describe them. A page
 * without script sends a form; the gate has checked its `csrf_token`.
 */
import { CodedError } from "@turnproof/semconv";
import type { z } from "zod";

import type { AppContext } from "./environment.ts";
import { ParameterError } from "./parameter-error.ts";

/** A parsed body, and its form. */
export interface ReadBody<T> {
  readonly data: T;
  readonly form: boolean;
}

const bytesMaxDefault = 65_536;

/**
 * Reads a body.
 *
 * @throws CodedError `media_type_unsupported`, `body_too_large`, `bad_request`, `body_invalid`, or
 * `parameter_unknown` for a query string
 */
export async function readBody<S extends z.ZodType>(
  c: AppContext,
  schema: S,
  bytesMax: number = bytesMaxDefault,
): Promise<ReadBody<z.output<S>>> {
  // Parameters are in the body; a query string is refused.
  if (new URL(c.req.url).search.length > 1) throw new CodedError("parameter_unknown");
  const type = c.req.header("content-type") ?? "";
  const form = /^(application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(type);
  if (!form && !/^application\/json\b/i.test(type)) {
    throw new CodedError("media_type_unsupported");
  }
  if (Number(c.req.header("content-length") ?? 0) > bytesMax) {
    throw new CodedError("body_too_large");
  }
  const value = form ? await formOf(c) : await jsonOf(c, bytesMax);
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw problemOf(parsed.error, schema);
  return { data: parsed.data, form };
}

/**
 * The first problem, with its field and the position in a list: `events[3]`. An unknown field is
 * input, so it is not named; the known fields are listed instead.
 */
function problemOf({ issues }: z.ZodError, schema: z.ZodType): CodedError {
  const [first] = issues;
  const [name, index] = first?.path ?? [];
  if (typeof name === "string") {
    const field = typeof index === "number" ? `${name}[${index}]` : name;
    return new CodedError("body_invalid", { field });
  }
  const known = "shape" in schema ? Object.keys(schema.shape as object) : [];
  return new ParameterError("body_invalid", known);
}

/** Fields of a form without empty ones; a repeated field is refused. */
async function formOf(c: AppContext): Promise<Record<string, unknown>> {
  const fields = await c.req.parseBody({ all: true }).catch(() => {
    throw new CodedError("bad_request");
  });
  return Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => name !== "csrf_token" && value !== ""),
  );
}

async function jsonOf(c: AppContext, bytesMax: number): Promise<unknown> {
  const text = await c.req.text();
  if (Buffer.byteLength(text) > bytesMax) throw new CodedError("body_too_large");
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new CodedError("bad_request");
  }
}
