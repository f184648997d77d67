/** @module Journal: the durable queue between a receiver and a store, and its drain. Node only. */
export type { JournalPosition } from "./backlog.ts";
export { eachStoredEvent, prepareFrames } from "./batch.ts";
export type {
  DecodedFrame,
  DecodeFrame,
  PartPreparer,
  PreparedFrames,
  SentFrame,
  StoredFrames,
} from "./batch.ts";
export { checkpointNames } from "./checkpoint-file.ts";
export { systemClock } from "./clock.ts";
export type { JournalClock } from "./clock.ts";
export type { DrainStore } from "./delivery.ts";
export { startDrain } from "./drain.ts";
export { setAsideRanges } from "./damage.ts";
export type { LostFrames, SetAsideRanges } from "./damage.ts";
export type { Drain, DrainOptions, DrainStats } from "./drain-contract.ts";
export { eraseQuarantine } from "./erase-quarantine.ts";
export type { KeptRows, QuarantineErasure } from "./erase-quarantine.ts";
export { nodeFileSystem } from "./file-system.ts";
export type { JournalFile, JournalFileSystem, OpenMode } from "./file-system.ts";
export { inspectJournal } from "./inspect.ts";
export type { InspectedJournal } from "./inspect.ts";
export { openJournal } from "./open-journal.ts";
export type { Journal, JournalEvent, JournalOptions, JournalStats } from "./contract.ts";
export type { JournalFrame } from "./journal-reader.ts";
export { readQuarantine } from "./quarantine.ts";
export type { DamagedRecord, QuarantineInput, QuarantineRecord } from "./quarantine.ts";
export { replaceFile } from "./replace-file.ts";
export { replayQuarantine } from "./replay.ts";
export { serialQueue } from "./serial-queue.ts";
export type { SerialQueue } from "./serial-queue.ts";
export type { ReplayOptions, ReplayResult } from "./replay.ts";
