/** @module LostTelemetry: what producers and this collector lost, and what is not known. */
import type { HealthModel } from "../pages/health/route.ts";
import { countText } from "../ui/display/figures.ts";
import { AnswerText, value } from "./answer-text.ts";
import { anAgent, tool } from "./tool.ts";
import type { Tool } from "./tool.ts";

/** Is telemetry being lost? */
export const lostTelemetry: Tool = tool({
  name: "is_telemetry_being_lost",
  title: "Is telemetry being lost?",
  description:
    "Losses that producers reported or that missing sequence numbers show, producers whose loss is " +
    "unknown, and the collector's own account from receiver to store. A producer without a report " +
    "is unknown, not zero.",
  input: { agent_id: anAgent },
  async answer(request, { agent_id }) {
    const model = await request.json<HealthModel>("/traces/health.json", { agent_id });
    const { producers, window, query_timing: reads } = model;
    // A store whose read failed has shown nothing: its scope is not empty.
    const unread = reads.filter(({ failed }) => failed).map(({ source_store: store }) => store);
    const lost = producers.filter(({ state }) => state === "lost");
    const unknown = producers.filter(({ state }) => state === "unknown").length;
    const text = new AnswerText().add(
      lost.length > 0
        ? `yes: ${lost.length} of ${producers.length} producers lost events`
        : unread.length > 0
          ? `not known: the evidence could not be read (${unread.join(", ")}); call again`
          : producers.length === 0
            ? "not known: no producer is in this scope"
            : unknown > 0
              ? `not known: ${unknown} of ${producers.length} producers gave no account of their losses`
              : window.complete
                ? `no: every one of ${producers.length} producers accounted for all of its events`
                : `not known: the ${producers.length} producers of the events that were read accounted for all of theirs, and not all events were read`,
    );
    if (agent_id !== undefined) {
      text.add("losses are those of each producer, not of one agent");
    }
    for (const one of lost) {
      const reasons = Object.entries(one.reported?.reasons ?? {}).map(
        ([code, n]) => `${code} ${n}`,
      );
      const count = one.lost === null ? "an unknown number" : countText(one.lost);
      text.add(
        `producer ${value(one.producer_id)} (${one.application_ids.map(value).join(" ") || "application not recorded"}): ` +
          `lost ${count}, missing numbers ${one.sequence_gaps ?? "unknown"}` +
          (reasons.length === 0 ? "" : `, ${reasons.join(", ")}`),
      );
    }
    if (lost.length > 0 && unknown > 0) text.add(`${unknown} producers gave no account`);
    text.add(
      ...(["dropped_events", "sampled_out", "write_failures"] as const).map((name) => {
        const { state, value: count } = model[name];
        return `${name.replace("_", " ")}: ${state === "known" ? countText(count ?? 0) : "unknown"}`;
      }),
      unread.length > 0
        ? `could not be read: ${unread.join(", ")}; losses and producers of it are unknown`
        : undefined,
      window.complete
        ? `read: the newest ${countText(model.normalized_events)} events, complete`
        : unread.length === reads.length
          ? undefined
          : `read: the newest ${countText(model.normalized_events)} events, not all (${window.reasons.join(", ")})`,
    );
    addCollector(text, model);
    return text.end(`page: ${request.link("/traces/health", { agent_id })}`);
  },
});

function addCollector(text: AnswerText, { collector }: HealthModel): void {
  if (collector === null) {
    text.add("collector: its own account is not shown to a principal bound to a part");
    return;
  }
  const { store, ingest, audit } = collector;
  const { conservation: sum, journal } = ingest;
  text.add(
    `collector: received ${sum.received}, stored ${sum.stored}, pending ${sum.pending}, lost ` +
      `${sum.lost}, quarantined ${sum.quarantined}; the sum ${sum.balanced ? "adds up" : "does not add up"}`,
    `store ${value(store.name)} ${store.ok ? "answers" : `does not answer (${store.code ?? "unknown"})`}; ` +
      `journal ${journal.healthy ? "healthy" : "damaged"}, ${journal.pending_spans} spans wait`,
    audit.on ? `audit log ${audit.healthy ? "healthy" : "not healthy"}` : "audit log off",
  );
}
