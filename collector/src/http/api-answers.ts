/**
 * @module ApiAnswers: the type of each JSON answer, by its route. The schemas of the API
 * description are generated from these types (`npm run generate` writes `api-answers.json`), and a
 * test holds the answers of a running collector to them. Types only.
 */
import type { EventPage, ReplayPlan, Verdict } from "@turnproof/evidence";

import type { Columns } from "../ui/display/columns.ts";
import type { WaterfallColumns } from "../ui/display/turn-columns.ts";
import type { AgentModel, AgentsModel } from "../pages/agents/route.ts";
import type { AnalysisModel, LineageModel } from "../pages/analysis/route.ts";
import type { CapabilitiesModel } from "../pages/capabilities/route.ts";
import type { ComparedModel } from "../pages/compare/route.ts";
import type { DifferencesModel } from "../pages/turns/differences.ts";
import type { BundlePage } from "../pages/events/route.ts";
import type { FacetsModel } from "../pages/turns/facets.ts";
import type { FindModel } from "../pages/find/route.ts";
import type { HealthModel } from "../pages/health/route.ts";
import type { ArtifactModel } from "../pages/accounts/route.ts";
import type { LearningModel, ProposedModel, ReviewedModel } from "../pages/learning/route.ts";
import type { MemoryModel } from "../pages/memory/route.ts";
import type { OverviewModel } from "../pages/turns/overview.ts";
import type { ReconcileModel } from "../pages/reconcile/route.ts";
import type { ReplayModel } from "../pages/replays/route.ts";
import type { RevealModel } from "../pages/reveal/route.ts";
import type { SettingsModel } from "../pages/settings/route.ts";
import type { ThreadModel, ThreadsModel } from "../pages/threads/route.ts";
import type { TrendModel } from "../pages/turns/trend.ts";
import type { TurnModel } from "../pages/turn/route.ts";
import type { TurnsModel } from "../pages/turns/route.ts";

/** `/traces/{root_trace_id}.json` with `form=columns`. */
export type TurnInColumns = Omit<TurnModel, "waterfall" | "events"> & {
  readonly waterfall: WaterfallColumns;
  readonly events: Columns;
};

/** `/traces/compare.json` with `form=columns`. */
export type ComparedInColumns = Omit<ComparedModel, "operations"> & {
  readonly operations: Columns;
};

/** An event that an operator recorded. */
export interface RecordedEvent {
  readonly event_id: string;
  readonly recorded_at: string;
}

/** A JSON Web Key Set (RFC 7517) of Ed25519 keys (RFC 8037). */
export interface KeySet {
  readonly keys: readonly {
    readonly kty: string;
    readonly crv: string;
    readonly x: string;
    readonly kid: string;
    readonly use: string;
    readonly alg: string;
  }[];
}

/** The JSON answer of each route that has one. */
export interface ApiAnswers {
  readonly "GET /healthz": { readonly status: "ok" };
  readonly "GET /readyz": { readonly ready: boolean; readonly accepts_spans: boolean };
  readonly "GET /readyz/store": { readonly ok: boolean; readonly code: string | null };
  readonly "GET /.well-known/jwks.json": KeySet;
  readonly "GET /settings.json": SettingsModel;
  readonly "GET /traces/turns.json": TurnsModel;
  readonly "GET /traces/overview.json": OverviewModel;
  readonly "GET /traces/facets.json": FacetsModel;
  readonly "GET /traces/differences.json": DifferencesModel;
  readonly "GET /traces/trend.json": TrendModel;
  readonly "GET /traces/events.json": EventPage | BundlePage;
  readonly "GET /traces/find.json": FindModel;
  readonly "GET /traces/health.json": HealthModel;
  readonly "GET /traces/compare.json": ComparedModel | ComparedInColumns;
  readonly "GET /traces/analysis.json": AnalysisModel;
  readonly "GET /traces/inspect.json": LineageModel;
  readonly "GET /traces/replay-plan.json": ReplayPlan;
  readonly "GET /traces/reconcile.json": ReconcileModel;
  readonly "POST /traces/reconcile": Verdict;
  readonly "GET /traces/artifact.json": ArtifactModel;
  readonly "GET /traces/capabilities.json": CapabilitiesModel;
  readonly "GET /traces/:root_trace_id": TurnModel | TurnInColumns;
  readonly "POST /traces/account/resolve": { readonly user_id: string };
  readonly "POST /traces/reveal": RevealModel;
  readonly "POST /traces/replays": ReplayModel;
  readonly "POST /traces/feedback": RecordedEvent;
  readonly "POST /traces/outcomes": RecordedEvent;
  readonly "POST /traces/recommendations": ProposedModel;
  readonly "POST /traces/recommendations/:recommendation_id/review": ReviewedModel;
  readonly "GET /learning.json": LearningModel;
  readonly "GET /memory.json": MemoryModel;
  readonly "GET /agents.json": AgentsModel;
  readonly "GET /agents/:agent_id": AgentModel;
  readonly "GET /threads.json": ThreadsModel;
  readonly "GET /threads/:thread_id": ThreadModel;
}
