/**
 * @module TraceLink: the same trace in another trace backend, by a template such as
 * `https://jaeger.example/trace/{trace_id}`. Only the trace id is inserted.
 */

const place = "{trace_id}";

/** The problem of a template, in a sentence without its value; undefined when it is valid. */
export function traceTemplateProblem(template: string): string | undefined {
  if (!template.includes(place)) return "the address names {trace_id} where the trace id goes";
  const [zeros, ones] = ["0", "1"].map((digit) => filled(template, digit.repeat(32)));
  if (zeros === undefined || ones === undefined || !/^https?:$/.test(zeros.protocol)) {
    return "the address begins with https:// or http://";
  }
  if (zeros.host !== ones.host) return "{trace_id} stands behind the host, not in it";
  if (zeros.username !== "" || zeros.password !== "") return "the address holds no credentials";
  return undefined;
}

function filled(template: string, traceId: string): URL | undefined {
  const text = template.replaceAll(place, traceId);
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** A link to a trace, and its host; undefined for a root that is no W3C trace id. */
export function traceLink(
  template: string,
  rootTraceId: string,
): { readonly href: string; readonly host: string } | undefined {
  if (!/^[0-9a-f]{32}$/i.test(rootTraceId)) return undefined;
  const url = filled(template, rootTraceId.toLowerCase());
  return url === undefined ? undefined : { href: url.href, host: url.host };
}
