/** @module HeldRoots: rows of roots that were stored a moment ago, within a bound of events. */
import type { RootStanding } from "../evidence-store.ts";
import type { StoredEvent } from "../stored-event.ts";
import type { HeldTurn } from "./turn-question.ts";

/** A root all of whose rows are held. */
export interface HeldRoot extends RootStanding {
  readonly events: readonly StoredEvent[];
  readonly sinceMs: number;
  /** Rows that its last provisional turns rest on, and these turns. */
  readonly recorded: number;
  readonly turns: readonly HeldTurn[];
}

/** Roots, those that spoke last at the end. */
export class HeldRoots {
  private readonly roots = new Map<string, HeldRoot>();
  private readonly eventsMax: number;
  private events = 0;

  constructor(eventsMax: number) {
    this.eventsMax = eventsMax;
  }

  get(root: string): HeldRoot | undefined {
    return this.roots.get(root);
  }

  /** Adds rows to a root, which has this standing with them. */
  add(root: string, { rows, epoch }: RootStanding, own: readonly StoredEvent[]): HeldRoot {
    const known = this.roots.get(root);
    const { events = [], sinceMs = Date.now(), recorded = 0, turns = [] } = known ?? {};
    const all = events as StoredEvent[];
    for (const event of own) all.push(event);
    const next = { rows, epoch, events: all, sinceMs, recorded, turns };
    this.events += own.length;
    this.roots.delete(root);
    this.roots.set(root, next);
    return next;
  }

  /** Remembers the turns that were written of a root. */
  recorded(root: string, rows: number, turns: readonly HeldTurn[]): void {
    const known = this.roots.get(root);
    if (known !== undefined) this.roots.set(root, { ...known, recorded: rows, turns });
  }

  release(root: string): void {
    this.events -= this.roots.get(root)?.events.length ?? 0;
    this.roots.delete(root);
  }

  /** Lets go of what has been still for longest, down to the bound. */
  bound(): void {
    for (const root of this.roots.keys()) {
      if (this.events <= this.eventsMax) return;
      this.release(root);
    }
  }

  /** Roots that have been held since before then. */
  since(beforeMs: number): readonly string[] {
    return [...this.roots].filter(([, { sinceMs }]) => sinceMs < beforeMs).map(([root]) => root);
  }
}
