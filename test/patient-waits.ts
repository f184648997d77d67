/** @module PatientWaits: the default of `vi.waitFor`, which has no setting. */
import { vi } from "vitest";

import { patienceMs } from "./patience.ts";

type WaitFor = typeof vi.waitFor;
type PatientWaitFor = WaitFor & { readonly patient?: true };

// Workers evaluate this for each file, and may keep what it set for an earlier one.
if ((vi.waitFor as PatientWaitFor).patient === undefined) {
  const { waitFor } = vi;
  const patient: WaitFor = (callback, options = {}) =>
    waitFor(callback, {
      timeout: patienceMs,
      ...(typeof options === "number" ? { timeout: options } : options),
    });
  vi.waitFor = Object.assign(patient, { patient: true } as const);
}
