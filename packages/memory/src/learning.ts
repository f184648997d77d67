/**
 * @module Learning: recurring tool sequences become candidates, and only a person promotes one to
 * a skill (requirements: States and transitions; Events, Learning events). Candidates stay inside
 * their tenant. A skill is shared, so it holds tool names and the person's text, nothing from the
 * turns.
 */
import { contentFingerprint } from "@turnproof/semconv/fingerprint";
import type { MemoryStore } from "@turnproof/store";

import { groupBy } from "@turnproof/semconv";
import type { IdentityOptions } from "@turnproof/semconv";
import type { MemoryPlace, MemoryRecorder } from "./place.ts";
import { SharedMemory } from "./shared-memory.ts";
import type { SharedData } from "./shared-memory.ts";
import { watched } from "./watched-store.ts";
import type { MemoryOptions, WatchedStore } from "./watched-store.ts";
import { WorkflowMemory } from "./workflow-memory.ts";
import type { WorkflowStep } from "./workflow-memory.ts";

/** The same sequence of tools, seen in several threads. */
export interface LearningCandidate {
  /** Fingerprint of the sequence. */
  readonly ref: string;
  readonly tools: readonly string[];
  readonly threads: number;
  readonly turns: number;
}

const toolsMin = 2;
const threadsMin = 2;
const stepsRead = 400;
const worked: ReadonlySet<string> = new Set(["success", "empty", "degraded", "fallback"]);

/** Fingerprint of a sequence of tools. */
function refOf(tools: readonly string[]): string {
  return contentFingerprint(JSON.stringify(["turnproof/workflow/v1", ...tools]));
}

/** Learning over workflow memory. */
export class Learning {
  readonly #store: WatchedStore;
  readonly #workflow: WorkflowMemory;
  readonly #shared: SharedMemory;

  constructor(store: MemoryStore | WatchedStore, options?: MemoryOptions) {
    this.#store = watched(store, options);
    this.#workflow = new WorkflowMemory(this.#store);
    this.#shared = new SharedMemory(this.#store.store, this.#store.now);
  }

  /**
   * Sequences of at least two tools that succeeded in at least two threads of the place's memory.
   */
  async candidates(place: MemoryPlace): Promise<readonly LearningCandidate[]> {
    const everyThread = { ...place, threadId: undefined };
    const steps = await this.#workflow.list(everyThread, stepsRead);
    const bySequence = groupBy(
      sequencesOf(steps).filter(({ tools }) => tools.length >= toolsMin),
      ({ tools }) => refOf(tools),
    );
    return [...bySequence]
      .map(([ref, uses]) => ({
        ref,
        tools: uses[0]?.tools ?? [],
        threads: new Set(uses.map(({ threadId }) => threadId)).size,
        turns: uses.length,
      }))
      .filter(({ threads }) => threads >= threadsMin)
      .toSorted((a, b) => b.turns - a.turns || (a.ref < b.ref ? -1 : 1));
  }

  /**
   * Checks the workflow that a turn just recorded; a new candidate is recorded in the turn and
   * returned.
   */
  async observe(
    place: MemoryPlace,
    tools: readonly string[],
  ): Promise<LearningCandidate | undefined> {
    if (tools.length < toolsMin) return undefined;
    const ref = refOf(tools);
    await place.turn?.learned({ event: "workflow_recorded", candidateRef: ref });
    const candidate = (await this.candidates(place)).find((found) => found.ref === ref);
    if (candidate === undefined) return undefined;
    await place.turn?.learned({
      event: "skill_candidate_created",
      candidateRef: ref,
      lifecycleState: "proposed",
    });
    return candidate;
  }

  /** Promotes a candidate to a shared skill. */
  async promote(
    candidate: LearningCandidate,
    skill: { readonly id: string; readonly data: SharedData },
    turn?: MemoryRecorder,
  ): Promise<void> {
    const data = { ...skill.data, tools: [...candidate.tools], candidate_ref: candidate.ref };
    await this.#shared.of("skill").put(skill.id, { ...data, state: "promoted" });
    await turn?.learned({
      event: "skill_promoted",
      candidateRef: candidate.ref,
      lifecycleState: "promoted",
    });
  }

  /** Deletes a skill; true when there was one. */
  async demote(skillId: string, turn?: MemoryRecorder): Promise<boolean> {
    const skills = this.#shared.of("skill");
    const found = await skills.get(skillId, turn);
    if (found === undefined) return false;
    const ref = found.data["candidate_ref"];
    await skills.delete(skillId);
    await turn?.learned({
      event: "skill_demoted",
      lifecycleState: "demoted",
      ...(typeof ref === "string" ? { candidateRef: ref } : {}),
    });
    return true;
  }
}

/** The tools of each turn in order; turns with a failed step are left out. */
function sequencesOf(steps: readonly WorkflowStep[]): readonly {
  readonly tools: readonly string[];
  readonly threadId: IdentityOptions["threadId"] | undefined;
}[] {
  return [...groupBy(steps, ({ turnId }) => turnId).values()]
    .filter((turn) => turn.every(({ outcome }) => worked.has(outcome)))
    .map((turn) => ({
      tools: turn.toSorted((a, b) => a.ordinal - b.ordinal).map(({ toolName }) => toolName),
      threadId: turn[0]?.threadId,
    }));
}
