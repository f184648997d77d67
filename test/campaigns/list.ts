/** @module All campaigns, in the order of the page. */
import { alertKills } from "./alert-kills.ts";
import type { Campaign } from "./campaign.ts";
import { canaries } from "./canaries.ts";
import { forgeries } from "./forgeries.ts";
import { kills } from "./kills.ts";
import { principals } from "./principals.ts";
import { machineFaults } from "./machine-faults.ts";
import { powerCuts } from "./power-cuts.ts";
import { soak } from "./soak.ts";

/** All of them. */
export const campaigns: readonly Campaign[] = [
  powerCuts,
  ...kills,
  alertKills,
  canaries,
  forgeries,
  principals,
  soak,
  machineFaults,
];
