/**
 * @module NameRefusal: the rule of content of a shared view's name, for one that is stored in this
 * browser. The rule is as large as a page, so it is loaded when a view is named.
 */
import { codes, screenProse } from "@turnproof/semconv";

import { viewNameMax } from "../../../ui/display/list-views.ts";

/** Why a name is refused, with its code and never with the name; undefined when it passes. */
export function nameRefusal(name: string): string | undefined {
  const code = screenProse(name, viewNameMax);
  return code === undefined ? undefined : `${codes[code].sentence} (${code})`;
}
