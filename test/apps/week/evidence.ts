/** @module Evidence of a running collector, read event by event and turn by turn. */
import type { TurnEvent, TurnRow } from "@turnproof/evidence";

/** Everything that was recorded, without duplicates. */
export interface RawEvidence {
  readonly events: readonly TurnEvent[];
  readonly rows: readonly TurnRow[];
}

/**
 * Reads all of it, page by page.
 * @param onProgress receives the number of events and turns read so far
 * @throws Error where the collector refuses
 */
export async function readEvidence(
  endpoint: string,
  onProgress: (read: number) => void = () => {},
): Promise<RawEvidence> {
  const events = await pages<TurnEvent>(`${endpoint}/traces/events.json`, onProgress);
  const rows = await pages<TurnRow>(`${endpoint}/traces/turns.json`, (read) =>
    onProgress(events.length + read),
  );
  return {
    events: [...new Map(events.map((one) => [one.event_id, one])).values()],
    rows: [...new Map(rows.map((row) => [`${row.root_trace_id} ${row.turn_id}`, row])).values()],
  };
}

async function pages<T>(url: string, onProgress: (read: number) => void): Promise<readonly T[]> {
  const all: T[] = [];
  let cursor = "";
  do {
    const answer = await fetch(`${url}?limit=1000${cursor}`);
    if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
    const page = (await answer.json()) as { items: T[]; next_cursor: string | null };
    all.push(...page.items);
    onProgress(all.length);
    cursor = page.next_cursor === null ? "" : `&cursor=${encodeURIComponent(page.next_cursor)}`;
  } while (cursor !== "");
  return all;
}
