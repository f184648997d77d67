/**
 * @module Recording: collects finished spans as the SDK gives them, and writes them as a fixture
 * that is the same on each run: ids, times and ports are renumbered, and every text that is not a
 * name of a model, tool, agent, kind or id that the scenario chose is replaced by a canary.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";

const spans = [];

/** A SpanExporter that keeps everything. */
export const recording = {
  export(batch, done) {
    spans.push(...batch);
    done({ code: 0 });
  },
  forceFlush: async () => {},
  shutdown: async () => {},
};

/** Texts that a scenario chose or a library's vocabulary; everything else becomes a canary. */
const kept =
  /(gen_ai\.operation\.name|operationId|\.system|provider(\.name)?|gen_ai\.(agent|tool)\.(name|id)|tool\.call\.id|tool\.type|\.model(_name)?|model(\.id|\.provider)|finish_?reasons?|finishReason|span\.kind|span\.type|observation\.(type|level|model\.name|usage_details)|session\.id|user\.id|userId|sessionId|threadId|runId|resourceId|conversation\.id|association\.properties\.\w+|functionId|functionid|toolCall\.(name|id)|tool\.name|entity\.(name|path)|workflow\.name|response\.id|error\.type|exception\.type|output\.type|schema\.\w+|trace\.name|entity\.(id|type)|mastra\.metadata\.(userId|sessionId|threadId|runId|resourceId)|usage[\w.]*|service\.name|\.language|\.version|agent\.(id|name)|mime_type|input_type|environment|release|is_streaming)$/i;

const content = /(message|prompt|content|input\.|output\.|\.input|\.output|arguments|args|result|instructions|description|definitions)/i;

function keep(key, value) {
  if (/\.(input|output)$/i.test(key)) return false;
  if (/^(gen_ai|ai|llm|mastra|traceloop|langfuse)\..*(usage|finish|tokens)/i.test(key)) return true;
  if (content.test(key) && !/(mime_type|completion_start_time)/.test(key)) return false;
  return kept.test(key) && typeof value === "string" && value.length < 200;
}

function cleaned(attributes) {
  const out = {};
  for (const [key, value] of Object.entries(attributes ?? {})) out[key] = cleanValue(key, value);
  return out;
}

function cleanValue(key, value) {
  if (typeof value === "number") return Number.isInteger(value) ? value : 0.125;
  if (typeof value === "boolean") return value;
  if (Array.isArray(value)) return value.map((item) => cleanValue(key, item));
  if (typeof value !== "string") return `CANARY-nested-${key}`;
  if (!keep(key, value)) return `CANARY-${key}`;
  return uuid.test(value) ? "00000000-0000-4000-8000-000000000001" : value;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const hex = (text, length) => createHash("sha256").update(text).digest("hex").slice(0, length);
const nanos = ([seconds, rest]) => BigInt(seconds) * 1_000_000_000n + BigInt(rest);
const base = BigInt(Date.UTC(2026, 10, 1)) * 1_000_000n;

function renumbered(dialect) {
  const times = [...new Set(spans.flatMap((span) => [nanos(span.startTime), nanos(span.endTime)]))];
  times.sort((a, b) => (a < b ? -1 : 1));
  const rank = new Map(times.map((time, index) => [time, base + BigInt(index) * 1_000_123n]));
  const ids = new Map();
  const id = (original, length) => {
    if (original === undefined || /^0*$/.test(original)) return undefined;
    if (!ids.has(original)) ids.set(original, hex(`${dialect}/${length}/${ids.size}`, length));
    return ids.get(original);
  };
  return { id, time: (value) => String(rank.get(nanos(value))) };
}

/** True where a span's own name is the only place of an agent's or a tool's. */
function isNamed(attributes) {
  if (attributes["mastra.span.type"] === "workflow_run") return true;
  return ["agent", "tool"].includes(attributes["langfuse.observation.type"]);
}

/** Writes `test/fixtures/dialects/<dialect>.json`, keeping the expected events that are there. */
export function writeFixture(dialect, libraries) {
  const { id, time } = renumbered(dialect);
  const records = spans.map((span) => {
    const context = span.spanContext();
    const parent = span.parentSpanContext?.spanId ?? span.parentSpanId;
    return {
      traceId: id(context.traceId, 32),
      spanId: id(context.spanId, 16),
      ...(parent === undefined ? {} : { parentSpanId: id(parent, 16) }),
      name: isNamed(span.attributes) ? span.name : `CANARY-name ${span.name}`,
      kind: span.kind + 1,
      startTimeUnixNano: time(span.startTime),
      endTimeUnixNano: time(span.endTime),
      status: {
        code: span.status.code,
        ...(span.status.message === undefined ? {} : { message: "CANARY-status-message" }),
      },
      attributes: cleaned(span.attributes),
      events: span.events.map((event) => ({
        name: /^(exception|ai\.|gen_ai\.)/.test(event.name) ? event.name : "CANARY-event-name",
        timeUnixNano: time(span.endTime),
        attributes: cleaned(event.attributes),
      })),
      links: span.links.map((link) => ({
        traceId: id(link.context.traceId, 32),
        spanId: id(link.context.spanId, 16),
      })),
      scope: {
        name: (span.instrumentationScope ?? span.instrumentationLibrary).name,
        version: (span.instrumentationScope ?? span.instrumentationLibrary).version ?? "",
      },
    };
  });
  const versions = Object.fromEntries(
    libraries.map((name) => {
      const url = new URL(`node_modules/${name}/package.json`, import.meta.url);
      return [name, JSON.parse(readFileSync(url, "utf8")).version];
    }),
  );
  const folder = new URL("../fixtures/dialects/", import.meta.url);
  mkdirSync(folder, { recursive: true });
  const fixture = {
    dialect,
    produced_by: versions,
    resource: { "service.name": "support-desk" },
    spans: records,
  };
  writeFileSync(new URL(`${dialect}.json`, folder), `${JSON.stringify(fixture, null, 2)}\n`);
  console.log(`${dialect}: ${records.length} spans`);
}
