/**
 * @module View table: which page shows which model. A name that is missing shows the plain page.
 */
import type { Problem } from "./http/errors.ts";
import type { View } from "./http/respond.tsx";
import type { RunModel } from "./routes/agent-runs.ts";
import type { AgentModel, AgentsModel } from "./routes/agents.ts";
import type { CompareModel } from "./routes/compare.ts";
import type { DocsModel } from "./routes/documents.ts";
import type { FindModel } from "./routes/find.ts";
import type { HealthModel } from "./routes/health.ts";
import type { LearningModel } from "./routes/learning.ts";
import type { MemoryModel } from "./routes/memory.ts";
import type { ReconcileModel } from "./routes/reconcile.ts";
import type { LoginModel } from "./routes/session.ts";
import type { SettingsModel } from "./routes/settings.ts";
import type { ThreadModel, ThreadsModel } from "./routes/threads.ts";
import type { TurnModel } from "./routes/turn.ts";
import type { TurnsModel } from "./routes/turns.ts";
import { agentPage } from "./views/agent-page.tsx";
import { agentsPage } from "./views/agents-page.tsx";
import { comparePage } from "./views/compare-page.tsx";
import { docsPage } from "./views/docs-page.tsx";
import { findPage } from "./views/find-page.tsx";
import { healthPage } from "./views/health-page.tsx";
import { learningPage } from "./views/learning-page.tsx";
import { loginPage } from "./views/login-page.tsx";
import { patternsPage } from "./views/patterns-page.tsx";
import { memoryPage } from "./views/memory-page.tsx";
import { problemPage } from "./views/problem-page.tsx";
import { reconcilePage } from "./views/reconcile-page.tsx";
import { runPage } from "./views/run-page.tsx";
import { settingsPage } from "./views/settings-page.tsx";
import { threadPage } from "./views/thread-page.tsx";
import { threadsPage } from "./views/threads-page.tsx";
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
  readonly run: RunModel;
  readonly threads: ThreadsModel;
  readonly thread: ThreadModel;
  readonly learning: LearningModel;
  readonly memory: MemoryModel;
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
  patterns: patternsPage,
  agent: agentPage,
  agents: agentsPage,
  compare: comparePage,
  docs: docsPage,
  find: findPage,
  health: healthPage,
  learning: learningPage,
  login: loginPage,
  memory: memoryPage,
  problem: problemPage,
  reconcile: reconcilePage,
  run: runPage,
  settings: settingsPage,
  thread: threadPage,
  threads: threadsPage,
};
