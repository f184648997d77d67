/** @module ShownRefusal: why a form of a page was refused. */

/** The reason, and the line of the form that shows it. */
export interface ShownRefusal {
  readonly of: string;
  readonly detail: string;
}
