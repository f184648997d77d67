/** @module PageContext: what every page receives beside its model, and the type of a page. */
import type { Child } from "hono/jsx";

import type { Principal } from "../access/principal.ts";
import type { ShownRefusal } from "../ui/display/shown-refusal.ts";
import type { IgnoredParameter } from "../ui/display/ignored-texts.ts";
import type { NavigationPlace } from "./navigation.ts";
import type { RefusedRange } from "../ui/display/time-range.ts";

/** Data of every page beside its model. */
export interface PageContext {
  /** Path below the base path, without and with its query. */
  readonly path: string;
  readonly basePath: string;
  /** Where clients reach this collector: origin and base path. */
  readonly home: string;
  readonly query: URLSearchParams;
  /** True where `query` is not the one of the address, as a part of it is not applied. */
  readonly appliedInPart: boolean;
  /** Address of this page's JSON twin, query included; absent on pages without one. */
  readonly jsonHref?: string;
  readonly principal?: Principal;
  /** Field `csrf_token` of every form of a session. */
  readonly csrfToken?: string;
  readonly contentMode: "metadata" | "redacted" | "full";
  readonly readOnly: boolean;
  /** False: loopback without authentication, which the page states. */
  readonly authConfigured: boolean;
  readonly version: string;
  /** Template of links to another trace backend; absent where none is configured. */
  readonly traceLink?: string;
  readonly requestId: string;
  /** Links of the rail. */
  readonly rail: readonly NavigationPlace[];
  /**
   * Every page, by its path or template below the base path, and those that take a range of time.
   */
  readonly pages: ReadonlySet<string>;
  readonly ranged: ReadonlySet<string>;
  /** True when this page takes one. */
  readonly takesRange: boolean;
  /** The range of the request that this page does not apply; `query` is without it. */
  readonly refusedRange?: RefusedRange;
  /** Parameters of the request that this page does not apply; `query` is without them. */
  readonly ignored: readonly IgnoredParameter[];
  /** True while stored evidence is known to be damaged or gone. */
  readonly damaged: boolean;
  /** A form of this page that was just refused. */
  readonly refusal?: ShownRefusal;
  /** When the page was rendered, RFC 3339. */
  readonly at: string;
}

/** A page: a function from model and context to markup. */
export type View<M> = (model: M, context: PageContext) => Child | Promise<Child>;

/** A page with its model. */
export interface PageAnswer<M> {
  readonly model: M;
  readonly view: View<M>;
  /** Markup at the place of the page's `LaterPart`, sent when the rest of the page was. */
  readonly later?: ((context: PageContext) => Promise<Child>) | undefined;
}
