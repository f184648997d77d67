/**
 * @module DoctorForward: result of `turnproof doctor` for the account of spans that were sent to
 * another endpoint. Nothing is made or changed.
 */
import { lookAtForwardAccount } from "../receive/forward/forward-account.ts";
import { forwardFolder } from "../receive/forward/forward-queue.ts";
import type { Check } from "./doctor-evidence.ts";

const check = "forward account";

/** What is damaged, or was set aside; none where nothing was forwarded. */
export function forwardChecks(dataDir: string): readonly Check[] {
  const { file, name, aside } = lookAtForwardAccount(forwardFolder(dataDir));
  const checks: Check[] = [];
  if (file === "damaged") {
    const message =
      `forward/${name} is damaged or cannot be read: how many spans were sent and lost is unknown. ` +
      "Restore the data directory from a backup (turnproof restore); else the next start sets it aside and counts from zero.";
    checks.push({ check, state: "fail", message });
  }
  if (aside) {
    const message =
      "The account was damaged and began anew: what was sent and lost before is unknown. Move " +
      "forward/account.json.corrupt away once this is known.";
    checks.push({ check, state: "warn", message });
  }
  if (checks.length === 0 && file === "whole") {
    checks.push({ check, state: "ok", message: "It can be read." });
  }
  return checks;
}
