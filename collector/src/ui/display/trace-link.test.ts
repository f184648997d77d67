/** @module Links to another trace backend: what a template may be, and what never goes into it. */
import { expect, test } from "vitest";

import { traceLink, traceTemplateProblem } from "./trace-link.ts";

const root = "4bf92f3577b34da6a3ce929d0e0e4736";

test.each([
  ["https://jaeger.example/trace/{trace_id}", `https://jaeger.example/trace/${root}`],
  ["http://127.0.0.1:3000/explore?t={trace_id}#x", `http://127.0.0.1:3000/explore?t=${root}#x`],
])("%s", (template, href) => {
  expect(traceTemplateProblem(template)).toBeUndefined();
  expect(traceLink(template, root)?.href).toBe(href);
});

test.each([
  ["https://jaeger.example/trace/", /names \{trace_id\}/],
  ["javascript:alert('{trace_id}')", /begins with https/],
  ["data:text/html,{trace_id}", /begins with https/],
  ["/trace/{trace_id}", /begins with https/],
  ["https://{trace_id}.example/", /behind the host/],
  ["https://user:pass@jaeger.example/{trace_id}", /no credentials/],
])("%s is refused", (template, problem) => {
  expect(traceTemplateProblem(template)).toMatch(problem);
  // The message goes to logs, and the value could contain a secret.
  expect(traceTemplateProblem(template)).not.toContain("pass@");
});

test("only a trace id goes into it", () => {
  const template = "https://jaeger.example/{trace_id}";
  for (const other of ["ann@example.com", "../admin", root.slice(1), `${root}0`, ""]) {
    expect(traceLink(template, other)).toBeUndefined();
  }
  expect(traceLink(template, root.toUpperCase())?.href).toBe(`https://jaeger.example/${root}`);
});
