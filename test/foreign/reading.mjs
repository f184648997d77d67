/** @module Reading: what the collector's JSON API shows of a scenario, in the form of the table. */
import { setTimeout as sleep } from "node:timers/promises";

const settledMs = 15_000;

async function json(url) {
  const response = await fetch(url);
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} of ${url}: ${text.slice(0, 500)}`);
  return { text, body: JSON.parse(text) };
}

/** Reads the turns and events of a service; waits until as many turns are there as are expected. */
export async function readScenario(collector, name, expected) {
  const of = `application_id=${encodeURIComponent(name)}&limit=200`;
  const until = Date.now() + settledMs;
  for (;;) {
    const turns = await json(`${collector}/traces/turns.json?${of}`);
    const events = await json(`${collector}/traces/events.json?${of}`);
    const read = {
      turns: turns.body.items.map(turnOf).toSorted(compare),
      errors: errorsOf(events.body.items),
      leaks: /CANARY/.test(turns.text + events.text),
    };
    if (differences(expected, read).length === 0 || Date.now() > until) return read;
    await sleep(250);
  }
}

/** One turn as the table writes it. */
function turnOf(row) {
  return {
    agent: row.agent_id ?? null,
    thread: row.thread_id ?? null,
    user: row.user_id ?? null,
    status: row.status,
    tools: row.tools.results,
    failed: row.tools.error + row.tools.provider_error,
    tokens: [row.input_tokens, row.output_tokens],
  };
}

/** Kinds of failed evidence with the class of the error, each once; structure makes no claim. */
function errorsOf(events) {
  const failed = events.filter((event) => event.status === "error" && event.event_kind !== "span");
  const errors = failed.map((event) => `${event.event_kind} ${event.attributes.error_type ?? "?"}`);
  return [...new Set(errors)].toSorted();
}

const compare = (a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

/** What differs from the table, a line each. */
export function differences(expected, read) {
  const wanted = expected.turns.map((turn) => ({ ...turn })).toSorted(compare);
  const problems = [];
  if (JSON.stringify(wanted) !== JSON.stringify(read.turns)) {
    problems.push(
      `turns: ${read.turns.map((turn) => `\n       ${JSON.stringify(turn)}`).join("")}`,
    );
  }
  if (JSON.stringify(expected.errors) !== JSON.stringify(read.errors)) {
    problems.push(`errors: ${JSON.stringify(read.errors)}`);
  }
  if (read.leaks) problems.push("content reached the collector's answers");
  return problems;
}
