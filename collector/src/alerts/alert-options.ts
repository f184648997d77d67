/** @module AlertOptions: rules, targets and times of the alerts of one collector. */
import type { AlertRule, AlertTarget } from "../config/alert-rules.ts";
import type { AlertStorage } from "./alert-storage.ts";

/** Rules, targets and times of one collector. */
export interface AlertOptions {
  readonly rules: readonly AlertRule[];
  readonly targets: readonly AlertTarget[];
  readonly secret: string | undefined;
  /** Names the deployment in ids. */
  readonly scope: string;
  /** Address of the collector for people. */
  readonly base: string;
  /** Where the document is kept; in memory only without it. */
  readonly keep?: AlertStorage;
  /** True where rules may come later, from a file that changes. */
  readonly rulesChange?: boolean;
  readonly everyMs?: number;
}
