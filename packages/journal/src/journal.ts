/**
 * @module Journal: acknowledged means durable. Frames are appended to segments and synced in
 * groups before `append` resolves; they are removed only after a checkpoint that the store holds
 * them. The collector puts it between receiver and store, the exporter uses the same code as its
 * disk spool. Payloads are opaque to it, and no retry limit ever discards data.
 */
import { CodedError } from "@turnproof/semconv";

import { advanceBacklog, backlogBytes, drainedAt, headOf } from "./backlog.ts";
import type { JournalPosition } from "./backlog.ts";
import type { Journal } from "./contract.ts";
import { frameHeaderBytes, framePayloadBytesMax } from "./frame.ts";
import type { JournalParts } from "./journal-parts.ts";
import { readBacklog } from "./journal-reader.ts";
import type { JournalFrame } from "./journal-reader.ts";
import { journalStats } from "./journal-stats.ts";
import { filesOf, loseSegment } from "./lost-segment.ts";
import { inOrder, save, saveDrained } from "./journal-checkpoints.ts";
import { undisturbed } from "./undisturbed.ts";
import { unlinkDrained } from "./remove-drained.ts";

/** The journal of these components. */
export function createJournal(parts: JournalParts): Journal {
  const { clock, quarantine, reserve, state } = parts;
  return {
    append: (frame) => appendFrame(parts, frame),
    read: (from) => readPending(parts, from),
    checkpoint: (through) => inOrder(parts, () => checkpointThrough(parts, through)),
    plan: (ends) => inOrder(parts, () => save(parts, { plan: ends })),
    planned: () => state.checkpoint.plan.filter((end) => end > parts.backlog.drainedThrough),
    quarantine: (input) =>
      inOrder(parts, async () => {
        assertUsable(parts);
        if (!(await reserve.spend(() => quarantine.add(input, clock.now())))) return;
        parts.options.onEvent?.({ code: "journal_quarantined", count: input.spans });
      }),
    quarantined: () => quarantine.read(),
    releaseQuarantined: (id) => inOrder(parts, () => quarantine.remove(id)),
    onDurable(listener) {
      const safe = undisturbed(listener);
      parts.listeners.add(safe);
      return () => void parts.listeners.delete(safe);
    },
    stats: () => journalStats(parts),
    losses: () => parts.damage.losses(),
    async close() {
      if (state.closed) return;
      state.closed = true;
      parts.stop.abort();
      await parts.writer.close();
      await inOrder(parts, async () => {
        // Without this checkpoint the next start drains some frames twice, under their tokens.
        await save(parts, { closed: true }).catch(() => undefined);
        // The next owner may read as soon as the lock is released.
        state.released = true;
      });
      await parts.lock.release();
    },
  };
}

function assertUsable(parts: JournalParts): void {
  if (parts.state.lostOwnership) throw new CodedError("journal_locked");
  if (parts.state.closed) throw new CodedError("journal_failed");
}

async function appendFrame(
  parts: JournalParts,
  frame: { readonly payload: Uint8Array; readonly spans: number },
): Promise<{ readonly sequence: number }> {
  assertUsable(parts);
  const { payload, spans } = frame;
  if (!Number.isInteger(spans) || spans < 0 || spans > 0xffff_ffff) {
    throw new CodedError("record_invalid", { field: "spans" });
  }
  if (payload.byteLength > framePayloadBytesMax) throw new CodedError("body_too_large");
  const bytes = frameHeaderBytes + payload.byteLength;
  const taken =
    backlogBytes(parts.backlog) + parts.quarantine.bytes() + parts.writer.waitingBytes();
  if (taken + bytes > parts.bytesMax) throw new CodedError("journal_full");
  const sequence = await new Promise<number>((resolve, reject) => {
    parts.writer.push({ payload, spans, resolve, reject });
  });
  return { sequence };
}

function readPending(parts: JournalParts, from?: JournalPosition): AsyncIterable<JournalFrame> {
  return readBacklog({
    fileSystem: parts.fileSystem,
    directory: parts.directory,
    backlog: parts.backlog,
    damage: parts.damage,
    verifyChecksums: parts.options.verifyChecksums !== false,
    onMissing: async (run, at) => {
      if (!(await loseSegment(parts, run, at))) return;
      // A reader waits for no checkpoint, which may be the one that reads.
      const saved = inOrder(parts, () => saveDrained(parts));
      // The next checkpoint has it as well.
      saved.catch(() => undefined);
    },
    onDamage: (lostFrames, lostSpans) => {
      parts.state.lostSpans += lostSpans;
      const { files = [] } = filesOf(parts.damage);
      const count = Math.max(1, files.length);
      const place = files.length === 0 ? {} : { files };
      parts.options.onEvent?.({ code: "journal_corrupt", count, lostFrames, lostSpans, ...place });
    },
    ...(from === undefined ? {} : { from }),
  });
}

async function checkpointThrough(
  parts: JournalParts,
  through: JournalPosition | number,
): Promise<void> {
  const { backlog, state } = parts;
  const position = typeof through === "number" ? await locate(parts, through) : through;
  if (position.sequence <= backlog.drainedThrough) return;
  const plan = state.checkpoint.plan.filter((end) => end > position.sequence);
  // Frames that were lost after it end with it: without their segment they would be lost anew.
  const { through: drainedThrough, totals } = drainedAt(backlog, position);
  const drainedSpans = parts.spansBefore + totals.spans;
  await save(parts, { drainedThrough, drainedSpans, plan });
  advanceBacklog(backlog, position);
  await unlinkDrained(parts);
}

async function locate(parts: JournalParts, through: number): Promise<JournalPosition> {
  let position = headOf(parts.backlog);
  for await (const frame of readPending(parts)) {
    if (frame.sequence > through) break;
    position = frame.position;
  }
  return position;
}
