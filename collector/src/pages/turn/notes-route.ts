/**
 * @module Notes: operators note on a turn what the evidence does not show. The turn is selected as
 * on its page; a form of that page returns to it.
 */
import { foldTurns } from "@turnproof/evidence";
import { CodedError, isoTime } from "@turnproof/semconv";
import { Hono } from "hono";
import { z } from "zod";

import { readBody } from "../../http/body.ts";
import { formOrJson, orForm } from "../../http/endpoint.ts";
import type { RouteGroup } from "../../http/endpoint.ts";
import { principalOf } from "../../http/environment.ts";
import type { AppContext, AppEnv } from "../../http/environment.ts";
import { filters } from "../../http/parameters.ts";
import { readingFor } from "../../http/query.ts";
import { respondJson } from "../../http/respond.tsx";
import { turnReading } from "./turn-reading.ts";
import { orFormPage } from "./refused-form.ts";
import type { Parts } from "../../parts.ts";
import { addNote, changeNote, deleteNote } from "../../turns/turn-notes.ts";
import type { NotedTurn, TurnNote } from "../../turns/turn-notes.ts";
import { noteCharsMax, requireAdmitted, written } from "../../turns/written-text.ts";
import { selectRoot } from "../../turns/window.ts";
import { pageAddress } from "../../ui/display/page-address.ts";

const { application_id, agent_id, thread_id, turn_id, user_id, scope, memory_id, root_trace_id } =
  filters;

/** What selects among the turns of the root; they have to leave one. */
const narrowed = z
  .strictObject({ application_id, agent_id, thread_id, turn_id, user_id, scope, memory_id })
  .partial();

const target = { root_trace_id: root_trace_id.describe("Root of the turn."), ...narrowed.shape };
const text = written(noteCharsMax).describe(
  "1 to 2,000 characters; text that looks like a credential, an address or a number of a person is refused.",
);
const id = z.uuid().describe("Id of the note.");
/** A form sends a number as its digits. */
const version = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^\d{1,9}$/)
      .transform(Number),
  ])
  .pipe(z.number().int().min(1).max(1_000_000_000))
  .describe("Version that the change is based on.");

const addBody = z.strictObject({ ...target, text });
const changeBody = z.strictObject({ ...target, id, version, text });
const deleteBody = z.strictObject({ ...target, id });

/** Answer of a deletion. */
export interface NoteDeleted {
  readonly deleted: true;
}

/** Its JSON, by route. */
export interface NotesAnswers {
  readonly "POST /traces/notes": TurnNote;
  readonly "POST /traces/notes/change": TurnNote;
  readonly "POST /traces/notes/delete": NoteDeleted;
}

const failures = [
  "body_invalid",
  "trace_not_found_in_window",
  "scope_forbidden",
  "store_read_only",
  "store_unavailable",
] as const;

/** Notes: what each route needs, records and answers. */
export const notesGroup: RouteGroup<NotesAnswers> = {
  tag: "Traces",
  endpoints: {
    "POST /traces/notes": {
      needs: "note.write",
      audit: "note.added",
      mutates: true,
      id: "addNote",
      summary: "Note something on a turn",
      text: "The note is content: it is shown with its turn only, and deleted with it.",
      body: formOrJson(addBody),
      also: orForm,
      returns: "The note. All notes of a turn are in its JSON.",
      status: 201,
      failures: [...failures, "attribute_credential", "written_limit"],
    },
    "POST /traces/notes/change": {
      needs: "note.write",
      audit: "note.changed",
      mutates: true,
      id: "changeNote",
      summary: "Change the text of an own note",
      body: formOrJson(changeBody),
      also: orForm,
      returns: "The note.",
      failures: [...failures, "attribute_credential", "not_found", "store_conflict", "legal_hold"],
    },
    "POST /traces/notes/delete": {
      needs: "note.write",
      audit: "note.deleted",
      mutates: true,
      id: "deleteNote",
      summary: "Delete an own note; an admin deletes any",
      body: formOrJson(deleteBody),
      also: orForm,
      returns: "A confirmation: `deleted` is true.",
      failures: [...failures, "not_found", "store_conflict", "legal_hold"],
    },
  },
  routes: notesRoutes,
};

type Target = z.output<typeof deleteBody>;

/** POST `/traces/notes`, `/traces/notes/change` and `/traces/notes/delete`. */
function notesRoutes(parts: Parts): Hono<AppEnv> {
  const { store, config, now } = parts;
  const app = new Hono<AppEnv>();
  /** A form returns to the page that it was on. */
  const back = (c: AppContext, data: Omit<Target, "id">): Response => {
    const { root_trace_id: root, ...rest } = data;
    const given = Object.keys(narrowed.shape).flatMap((name) => {
      const value = (rest as Record<string, unknown>)[name];
      return typeof value === "string" ? [[name, value]] : [];
    });
    const query = given.length === 0 ? "" : `?${new URLSearchParams(given).toString()}`;
    const base = config.basePath === "/" ? "" : config.basePath;
    return c.redirect(`${base}${pageAddress("traces", root)}${query}#notes`, 303);
  };
  const requireNoHold = (): void => {
    if (config.legalHold) throw new CodedError("legal_hold");
  };

  const read = turnReading(parts);
  const answer = (
    c: AppContext,
    of: "new" | "change" | "delete",
    run: () => Promise<Response>,
  ): Promise<Response> => orFormPage(c, read, { of, target: z.object(target) }, run);

  app.post("/traces/notes", (c) =>
    answer(c, "new", async () => {
      const { data, form } = await readBody(c, addBody);
      requireAdmitted("text", data.text, noteCharsMax);
      const noted = await notedTurn(c, parts, data);
      const by = principalOf(c).name;
      const note = await addNote(store, noted, { text: data.text, by, created_at: isoTime(now()) });
      return form ? back(c, data) : respondJson(c, note, 201);
    }),
  );

  app.post("/traces/notes/change", (c) =>
    answer(c, "change", async () => {
      const { data, form } = await readBody(c, changeBody);
      requireNoHold();
      requireAdmitted("text", data.text, noteCharsMax);
      const noted = await notedTurn(c, parts, data);
      const change = { ...data, changed_at: isoTime(now()) };
      const note = await changeNote(store, noted, change);
      return form ? back(c, data) : respondJson(c, note);
    }),
  );

  app.post("/traces/notes/delete", (c) =>
    answer(c, "delete", async () => {
      const { data, form } = await readBody(c, deleteBody);
      requireNoHold();
      const noted = await notedTurn(c, parts, data);
      await deleteNote(store, noted, { id: data.id });
      return form ? back(c, data) : respondJson(c, { deleted: true } satisfies NoteDeleted);
    }),
  );
  return app;
}

/** The one turn that a body selects. @throws CodedError `body_invalid` where it selects several */
async function notedTurn(
  c: AppContext,
  parts: Parts,
  data: Omit<Target, "id">,
): Promise<NotedTurn> {
  const { root_trace_id: root, application_id, agent_id, thread_id, turn_id } = data;
  const { user_id, scope, memory_id } = data;
  const requested = { application_id, agent_id, thread_id, turn_id, user_id, scope, memory_id };
  const reading = readingFor(c, requested);
  const { events } = await selectRoot(parts, reading, c.get("typed")(root, "root_trace_id"));
  const [turn, ...others] = foldTurns(events);
  if (turn === undefined) throw new CodedError("trace_not_found_in_window");
  if (others.length > 0) throw new CodedError("body_invalid", { field: "turn_id" });
  return {
    root: events[0].root_trace_id ?? "",
    turn,
    turns: [turn],
    events,
    principal: principalOf(c),
  };
}
