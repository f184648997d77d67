/**
 * @module View table: which page shows which model. A name that is missing shows the plain page.
 */
import type { Problem } from "./http/errors.ts";
import type { View } from "./http/respond.tsx";
import type { AgentModel, AgentsModel } from "./routes/agents.ts";
import type { CompareModel } from "./routes/compare.ts";
import type { DocsModel } from "./routes/documents.ts";
import type { FindModel } from "./routes/find.ts";
import type { HealthModel } from "./routes/health.ts";
import type { ReconcileModel } from "./routes/reconcile.ts";
import type { LoginModel } from "./routes/session.ts";
import type { SettingsModel } from "./routes/settings.ts";
import type { ThreadModel, ThreadsModel } from "./routes/threads.ts";
import type { TurnModel } from "./routes/turn.ts";
import type { TurnsModel } from "./routes/turns.ts";
import { turnPage } from "./views/turn-page.tsx";
import { turnsPage } from "./views/turns-page.tsx";

/** The model of every page, by the name of its view. */
export interface ViewModels {
  readonly turns: TurnsModel;
  readonly turn: TurnModel;
  readonly health: HealthModel;
  readonly compare: CompareModel;
  readonly reconcile: ReconcileModel;
  readonly find: FindModel;
  readonly agents: AgentsModel;
  readonly agent: AgentModel;
  readonly threads: ThreadsModel;
  readonly thread: ThreadModel;
  readonly settings: SettingsModel;
  readonly docs: DocsModel;
  /** Every element of the pages; nothing of any evidence. */
  readonly patterns: object;
  readonly login: LoginModel;
}

/** Name of a page's view. */
export type ViewName = keyof ViewModels;

/** Views by name; the `problem` page shows every error. */
export type ViewTable = {
  readonly [K in ViewName]?: View<ViewModels[K]>;
} & { readonly problem?: View<Problem> };

/** The views of this build. */
export const viewTable: ViewTable = {
  turns: turnsPage,
  turn: turnPage,
};
