/** @module Power cuts of the journal, at every call and at random ones. */
import type { Campaign } from "./campaign.ts";
import { cutEverywhere, runSeed } from "../suite/journal/power-cuts.ts";

const seedsOfRound = 50;
const subsets = 24;

/** Cuts with any subset of sectors and directory entries that were not durable. */
export const powerCuts: Campaign = {
  name: "power-cuts",
  promise:
    "After a power cut at any write or sync of the journal, with sectors torn, reordered and left " +
    "out, nothing acknowledged is lost, nothing appears that was not sent, and nothing comes back " +
    "after its checkpoint.",
  unit: "cuts",
  goal: 1_000_000,
  async open() {
    return {
      async round(seed) {
        // The suite runs the first seeds: `JOURNAL_SEEDS`, 500 by default.
        const first = 1_000 + seed * seedsOfRound;
        let cuts = 0;
        for (let each = first; each < first + seedsOfRound; each += 1) {
          cuts += await runSeed(each).catch((error: unknown) => {
            throw new Error(`seed ${each}: ${String(error)}`, { cause: error });
          });
        }
        const swept = await cutEverywhere(first, subsets);
        return { cuts: cuts + swept.cuts, boundaries: swept.boundaries };
      },
      close: async () => {},
    };
  },
};
