/**
 * @module ForwardTarget: the OTLP endpoint that receives what this collector stored
 * (`TURNPROOF_FORWARD_URL`). Credentials are headers of a variable of their own.
 */
import { list, text } from "./config-values.ts";

/** The full address of the traces endpoint; the path `/v1/traces` is added to a bare origin. */
export const forwardUrl = text.transform((value, context): string => {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const plain =
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    url.username === "" &&
    url.password === "" &&
    url.hash === "";
  if (!plain) {
    context.addIssue({ code: "custom", message: "http(s)://host[:port][/path], no credentials" });
    return "";
  }
  if (url.pathname === "/" && url.search === "") url.pathname = "/v1/traces";
  return url.href;
});

/**
 * Headers `name=value` between commas, a value percent-encoded as in OTEL_EXPORTER_OTLP_HEADERS.
 */
export const forwardHeaders = list.transform((parts, context): Readonly<Record<string, string>> => {
  const headers: Record<string, string> = {};
  for (const [index, part] of parts.entries()) {
    const [, name = "", encoded = ""] =
      /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*=\s*(.+)$/.exec(part) ?? [];
    const value = decoded(encoded);
    if (name === "" || value === undefined || !/^[\x20-\x7e]+$/.test(value)) {
      context.addIssue({ code: "custom", message: `entry ${index + 1}: name=value` });
    } else headers[name.toLowerCase()] = value;
  }
  return headers;
});

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
