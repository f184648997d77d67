/**
 * @module View table: which page shows which model. A name that is missing shows the plain page.
 */
import type { Problem } from "./http/errors.ts";
import type { View } from "./http/respond.tsx";
import type { RunModel } from "./pages/run/route.ts";
import type { AgentModel, AgentsModel } from "./pages/agents/route.ts";
import type { CompareModel } from "./pages/compare/route.ts";
import type { DocsModel } from "./pages/docs/route.ts";
import type { FindModel } from "./pages/find/route.ts";
import type { HealthModel } from "./pages/health/route.ts";
import type { LearningModel } from "./pages/learning/route.ts";
import type { MemoryModel } from "./pages/memory/route.ts";
import type { ReconcileModel } from "./pages/reconcile/route.ts";
import type { LoginModel } from "./pages/login/route.ts";
import type { SettingsModel } from "./pages/settings/route.ts";
import type { ThreadModel, ThreadsModel } from "./pages/threads/route.ts";
import type { TurnModel } from "./pages/turn/route.ts";
import type { TurnsModel } from "./pages/turns/route.ts";
import { agentPage } from "./pages/agent/page.tsx";
import { agentsPage } from "./pages/agents/page.tsx";
import { comparePage } from "./pages/compare/page.tsx";
import { docsPage } from "./pages/docs/page.tsx";
import { findPage } from "./pages/find/page.tsx";
import { healthPage } from "./pages/health/page.tsx";
import { learningPage } from "./pages/learning/page.tsx";
import { loginPage } from "./pages/login/page.tsx";
import { patternsPage } from "./pages/patterns/page.tsx";
import { memoryPage } from "./pages/memory/page.tsx";
import { problemPage } from "./ui/problem-page.tsx";
import { reconcilePage } from "./pages/reconcile/page.tsx";
import { runPage } from "./pages/run/page.tsx";
import { settingsPage } from "./pages/settings/page.tsx";
import { threadPage } from "./pages/thread/page.tsx";
import { threadsPage } from "./pages/threads/page.tsx";
import { turnPage } from "./pages/turn/page.tsx";
import { turnsPage } from "./pages/turns/page.tsx";

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
