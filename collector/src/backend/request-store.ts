/** @module RequestStore: the store as requests read it, from the one of background work. */
import type { EvidenceStore } from "@turnproof/store";

import type { Damage } from "./damage-tracker.ts";
import { futureLast } from "./future-last.ts";
import { readTimes, timedStore } from "./timed-store.ts";
import { unlocatedDamage } from "./unlocated-damage.ts";

/** It states no success that damage may touch, dates nothing after now, and its reads time out. */
export function requestStore(
  untimed: EvidenceStore,
  damage: Pick<Damage, "report">,
  now: () => number,
): EvidenceStore {
  return timedStore(futureLast(unlocatedDamage(untimed, damage), now), readTimes);
}
