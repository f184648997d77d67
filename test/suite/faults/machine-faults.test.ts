/**
 * Short versions of two campaigns: a machine whose disk and clock fail, and a soak (faults R2 to
 * R4, R12, R29).
 */
import { expect, test } from "vitest";

import { attackMachine } from "../../campaigns/machine-faults.ts";
import { openSoak } from "../../campaigns/soak.ts";

test("a disk that is full or read-only and a clock that jumps: spans are taken again, none is lost", async () => {
  const faults = ["disk_full", "no_space", "read_only_disk", "clock_ahead"] as const;
  const figures = await attackMachine("filesystem", 0, faults);
  expect(figures["acknowledged_spans"]).toBeGreaterThan(0);
  expect(figures["refused_requests"]).toBeGreaterThan(0);
}, 240_000);

test("a soak of seconds, with a restart", async () => {
  const paced = { spansPerSecond: 300, roundSeconds: 2, lifeRounds: 1, warmSeconds: 900 };
  // Other tests have the cores as well; the campaign has the limits of a quiet machine.
  const rounds = await openSoak({ ...paced, lagMsMax: 120_000, drainMsMax: 120_000 });
  try {
    await rounds.round(0);
    const figures = await rounds.round(1);
    expect(figures).toMatchObject({ restarts: 1 });
    expect(figures["spans"]).toBeGreaterThan(0);
  } finally {
    await rounds.close();
  }
}, 240_000);
