/** @module JudgeInput: what the judge reads before each check, and what it holds between them. */
import { lossIntervals, producerLives } from "@turnproof/evidence";
import type { LossInterval, ProducerLife, TurnEvent } from "@turnproof/evidence";

import type { LateLosses } from "./judge-losses.ts";
import type { OpenRoots } from "./judge-open.ts";
import { markOf } from "./judge-windows.ts";
import { isTrusted, producerReports } from "./losses.ts";
import type { JudgeParts } from "../parts.ts";

/** State of the judge between checks. */
export interface JudgeMemory {
  readonly losses: LateLosses;
  readonly open: OpenRoots;
}

/** Producers' reports at the start of a check. */
export interface JudgeInput {
  readonly reports: readonly TurnEvent[];
  readonly losses: readonly LossInterval[];
  readonly lives: readonly ProducerLife[];
  /** Everything received before was readable. */
  readonly mark: string;
}

/** Reads the producers' reports. */
export async function readJudgeInput(parts: JudgeParts): Promise<JudgeInput> {
  const mark = markOf(parts);
  const reports = (await producerReports(parts)).filter(isTrusted);
  await parts.ingest.othersKnown?.();
  const losses = [...lossIntervals(reports), ...parts.ingest.losses().losses];
  return { reports, losses, lives: producerLives(reports), mark };
}
