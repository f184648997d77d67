/**
 * @module HandOver: what a turn of the shop was to bring about, and each way in which its customer
 * can end with nothing.
 */
import type { ResourceRef, Turn } from "@turnproof/instrumentation";

import type { StoryClock } from "../briefing/story-clock.ts";
import type { Dice } from "../week/dice.ts";

/** Ways in which a delivery goes wrong. */
export const deliveredPlots = [
  "unconfirmed",
  "refused",
  "outdated",
  "undelivered",
  "unparsed",
  "unsaved",
  "foreign",
] as const;
export type DeliveredPlot = (typeof deliveredPlots)[number];

/** Records intent, contract, artifact and delivery, as the plot has them. */
export async function handOver(reported: {
  readonly turn: Turn;
  readonly clock: StoryClock;
  readonly dice: Dice;
  readonly plot: DeliveredPlot | "fine";
}): Promise<void> {
  const { turn, clock, dice, plot } = reported;
  const recorder = turn.recorder();
  const taskId = dice.id("task");
  const source: ResourceRef = {
    resourceType: "order",
    ref: dice.id("ord"),
    version: "v1",
    role: "authoritative_current_source",
    ownershipVerified: true,
    provenanceStatus: "verified",
  };
  const receipt: ResourceRef = {
    resourceType: "receipt",
    ref: dice.id("rcp"),
    version: "r1",
    ownershipVerified: plot !== "foreign",
    provenanceStatus: "verified",
  };
  const save = async (saved: ResourceRef): Promise<void> => {
    const span = recorder.startSpan("receipt.write", { taskId, inputRefs: [source] });
    clock.pass(dice.around(20));
    await span.succeed({ outputRefs: [saved] });
    await recorder.recordArtifact(saved, {
      inputRefs: [source],
      producingSpanId: span.spanId,
      persistenceVerified: plot !== "unsaved",
      taskId,
    });
    clock.pass(3);
  };
  await recorder.recordIntent("receipt", {
    expectedArtifactTypes: ["receipt"],
    requiredContracts: ["receipt_form"],
    inputRefs: [source],
    taskId,
  });
  clock.pass(2);
  await recorder.contract("receipt_form", { required: true, taskId }).record({
    openingMarkerFound: true,
    closingMarkerFound: true,
    parserStatus: plot === "unparsed" ? "failed" : "success",
  });
  clock.pass(2);
  await save(receipt);
  if (plot === "undelivered") return;
  await recorder.recordDelivery("order_page", {
    emitted: true,
    acknowledged: plot === "unconfirmed" ? null : plot !== "refused",
    inputRefs: [receipt],
    contractName: "receipt_form",
    taskId,
  });
  clock.pass(4);
  if (plot === "outdated") await save({ ...receipt, version: "r2" });
}
