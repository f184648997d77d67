/** @module RulesRefusedNote: the file of alert rules is wrong, and the rules of before stay. */
import type { FC } from "hono/jsx";

import type { RefusedRules } from "../../config/alert-rules.ts";
import { Time } from "../elements/figure.tsx";
import { Note } from "../elements/panel.tsx";

/** The note; nothing while the file is used. */
export const RulesRefusedNote: FC<{ readonly refused: RefusedRules | null }> = ({ refused }) =>
  refused === null ? (
    <></>
  ) : (
    <Note tone="warn">
      The alert rules of <Time at={refused.rules_since} form="daytime" /> stand. File{" "}
      <code>{refused.file}</code>: {refused.reason}.
    </Note>
  );
