/**
 * @module RefusedForm: a form of notes that was refused, without scripts: the page of its turn,
 * with the reason at the form. The typed text is in no answer.
 */
import { CodedError } from "@turnproof/semconv";
import type { Identity } from "@turnproof/semconv";
import type { z } from "zod";

import { wantsPage } from "../../http/environment.ts";
import type { AppContext } from "../../http/environment.ts";
import { problemOf } from "../../http/problem.ts";
import { readingFor } from "../../http/query.ts";
import type { TurnReading } from "./turn-reading.ts";
import { turnPage } from "./page.tsx";
import { pageAddress } from "../../ui/display/page-address.ts";

/** Most events that are read for such a page: it is made beside other requests. */
const eventsMax = 5_000;

/** The form: its place on the page, and the schema of what selects its turn. */
interface Form {
  readonly of: "new" | "change" | "delete";
  readonly target: z.ZodType<Pick<Identity, "root_trace_id">>;
}

/**
 * Runs an action of a form.
 *
 * @throws CodedError what the action throws, where the caller is no form of the page of a turn
 */
export async function orFormPage(
  c: AppContext,
  read: TurnReading,
  { of, target }: Form,
  run: () => Promise<Response>,
): Promise<Response> {
  try {
    return await run();
  } catch (error) {
    if (!CodedError.is(error) || error.status >= 500 || !isForm(c)) throw error;
    // The action has read the body before: a body that is no form was refused as that.
    const fields = Object.entries(await c.req.parseBody({ all: true }));
    const place = target.safeParse(Object.fromEntries(fields.filter(([, value]) => value !== "")));
    if (!place.success) throw error;
    const { root_trace_id: root, ...narrowed } = place.data;
    const model = await read(c, root, readingFor(c, narrowed), eventsMax).catch(() => {
      // A turn that the principal does not read has no page; the refusal has one of its own.
      throw error;
    });
    const { detail, status } = problemOf(error.code, c.get("requestId"));
    c.set("posted", {
      path: pageAddress("traces", root),
      query: new URLSearchParams(narrowed),
      refusal: { of: placeOf(of, fields), detail },
    });
    return c.get("renderer").page(c, { view: turnPage, model }, status);
  }
}

function isForm(c: AppContext): boolean {
  const type = c.req.header("content-type") ?? "";
  return wantsPage(c) && /^application\/x-www-form-urlencoded\b/i.test(type);
}

/** Id of the line at the form. */
function placeOf(of: Form["of"], fields: readonly (readonly [string, unknown])[]): string {
  if (of === "new") return "new-note";
  const id = String(fields.find(([name]) => name === "id")?.[1]);
  return of === "change" ? id : `delete-of-${id}`;
}
