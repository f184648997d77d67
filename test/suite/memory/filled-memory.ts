/** @module FilledMemory: a row of each unit at a place, and everything that any unit gives out. */
import type { Memory, MemoryPlace } from "@turnproof/memory";

const request = { query: "what is my city", model: "m", instructions: "", tools: [] };
const kept = { turnId: "t", readOnly: true, deterministic: true, finished: true, degraded: false };

/** Writes one row of each unit; every text carries the mark. */
export async function fill(memory: Memory, place: MemoryPlace, mark: string): Promise<void> {
  await memory.conversation.append(place, [
    { role: "user", text: `${mark} what is my city` },
    { role: "assistant", text: `${mark} your city is Lisbon` },
  ]);
  await memory.summaries.write(place, { text: `${mark} city summary`, sourceIds: ["x"] });
  await memory.entities.remember(place, { name: "city", role: "profile", text: `${mark} Lisbon` });
  await memory.entities.remember(place, { name: "river", text: `${mark} the city river is Tejo` });
  await memory.workflow.record(place, {
    turnId: "t",
    ordinal: 1,
    toolName: "find",
    outcome: "success",
  });
  await memory.toolLog.record(place, {
    turnId: "t",
    callId: "c",
    toolName: "find",
    input: { mark },
    result: { mark },
    outcome: "success",
    durationMs: 1,
  });
  await memory.feedback.record(place, {
    turnId: "t",
    rootTraceId: "r",
    comment: mark,
    includeComment: true,
  });
  await memory.cache().admit(place, request, { ...kept, answer: mark });
}

/** Everything that any unit gives out at a place, as one text. */
export async function everything(memory: Memory, place: MemoryPlace): Promise<string> {
  const context = await memory.assembleContext(
    { ...place, threadId: "another" },
    { text: "city Lisbon river summary" },
    { retrieval: { relevanceMin: 0, itemsMax: 100, charsMax: 1e9 } },
  );
  return JSON.stringify([
    await memory.conversation.history(place),
    await memory.summaries.list(place),
    await memory.entities.list(place),
    await memory.entities.get(place, "city", "profile"),
    await memory.toolLog.list(place),
    await memory.feedback.list(place),
    await memory.cache().lookup(place, request),
    context,
  ]);
}
