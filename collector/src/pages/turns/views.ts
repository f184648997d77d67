/**
 * @module Views: shared views of the list of turns: read, shared, renamed and deleted. A form of
 * the list returns to it.
 */
import { CodedError, isoTime } from "@turnproof/semconv";
import { Hono } from "hono";
import { z } from "zod";

import { readBody } from "../../http/body.ts";
import { formOrJson, none, orForm } from "../../http/endpoint.ts";
import type { RouteGroup } from "../../http/endpoint.ts";
import { principalOf } from "../../http/environment.ts";
import type { AppContext, AppEnv } from "../../http/environment.ts";
import { readParameters } from "../../http/parameters.ts";
import { respondJson } from "../../http/respond.tsx";
import type { Parts } from "../../parts.ts";
import { deleteView, renameView, sharedViews, shareView } from "../../turns/shared-views.ts";
import type { SharedView } from "../../turns/shared-views.ts";
import { requireAdmitted, viewNameCharsMax, written } from "../../turns/written-text.ts";
import { textKey } from "../../ui/display/filter-keys.ts";
import { termsOf } from "../../ui/display/filter-terms.ts";
import { viewQuery } from "../../ui/display/list-views.ts";
import { turnsParameters } from "./turns-parameters.ts";

/** Longest query of a view, in characters. */
const queryCharsMax = 2_000;

const name = written(viewNameCharsMax).describe("1 to 60 characters; no name is shared twice.");
const id = z.uuid().describe("Id of the view.");
/** Where a form was sent from. */
const from = z.string().max(queryCharsMax).describe("Query of the page that a form is on.");

const shareBody = z.strictObject({
  name,
  query: z
    .string()
    .max(queryCharsMax)
    .describe("Query of the list of turns, with its question mark; without a cursor."),
});
const renameBody = z.strictObject({ id, name, from: from.optional() });
const deleteBody = z.strictObject({ id, from: from.optional() });

/** Body of `/traces/views.json`. */
export interface ViewsModel {
  readonly items: readonly SharedView[];
}

/** Answer of a deletion. */
export interface ViewDeleted {
  readonly deleted: true;
}

/** Its JSON, by route. */
export interface ViewsAnswers {
  readonly "GET /traces/views.json": ViewsModel;
  readonly "POST /traces/views": SharedView;
  readonly "POST /traces/views/rename": SharedView;
  readonly "POST /traces/views/delete": ViewDeleted;
}

/** Views: what each route needs, records and answers. */
export const viewsGroup: RouteGroup<ViewsAnswers> = {
  tag: "Traces",
  endpoints: {
    "GET /traces/views.json": {
      needs: "trace.read",
      audit: "views.read",
      id: "listViews",
      summary: "Shared views of the list of turns",
      text:
        "Those of the caller's tenant; a caller without a tenant reads those of the others " +
        "without one.",
      query: none,
      returns: "The views, by name.",
      failures: ["store_unavailable"],
    },
    "POST /traces/views": {
      needs: "view.share",
      audit: "view.shared",
      mutates: true,
      id: "shareView",
      summary: "Share filters of the list of turns under a name",
      body: formOrJson(shareBody),
      also: orForm,
      returns: "The view.",
      status: 201,
      failures: [
        "body_invalid",
        "attribute_credential",
        "written_limit",
        "name_taken",
        "store_read_only",
      ],
    },
    "POST /traces/views/rename": {
      needs: "view.share",
      audit: "view.renamed",
      mutates: true,
      id: "renameView",
      summary: "Rename a shared view",
      body: formOrJson(renameBody),
      also: orForm,
      returns: "The view.",
      failures: ["body_invalid", "not_found", "name_taken", "store_conflict", "store_read_only"],
    },
    "POST /traces/views/delete": {
      needs: "view.share",
      audit: "view.deleted",
      mutates: true,
      id: "deleteView",
      summary: "Delete a shared view",
      body: formOrJson(deleteBody),
      also: orForm,
      returns: "A confirmation: `deleted` is true.",
      failures: ["body_invalid", "not_found", "store_conflict", "store_read_only"],
    },
  },
  routes: viewsRoutes,
};

/** GET `/traces/views.json`, POST `/traces/views`, `/traces/views/rename` and `…/delete`. */
function viewsRoutes(parts: Parts): Hono<AppEnv> {
  const { store, config, now } = parts;
  const app = new Hono<AppEnv>();
  const back = (c: AppContext, query: string): Response => {
    const base = config.basePath === "/" ? "" : config.basePath;
    return c.redirect(`${base}/traces${viewQuery(new URLSearchParams(query))}`, 303);
  };
  app.get("/traces/views.json", async (c) => {
    readParameters(c, none);
    const items = await sharedViews(store, principalOf(c));
    return respondJson(c, { items } satisfies ViewsModel);
  });

  app.post("/traces/views", async (c) => {
    const { data, form } = await readBody(c, shareBody);
    requireAdmitted("name", data.name, viewNameCharsMax);
    const query = sharedQuery(data.query);
    const view = { name: data.name, query, created_at: isoTime(now()), users: usersIn(query) };
    const shared = await shareView(store, principalOf(c), view);
    return form ? back(c, query) : respondJson(c, shared, 201);
  });

  app.post("/traces/views/rename", async (c) => {
    const { data, form } = await readBody(c, renameBody);
    requireAdmitted("name", data.name, viewNameCharsMax);
    const renamed = await renameView(store, principalOf(c), data);
    return form ? back(c, data.from ?? "") : respondJson(c, renamed);
  });

  app.post("/traces/views/delete", async (c) => {
    const { data, form } = await readBody(c, deleteBody);
    await deleteView(store, principalOf(c), data.id);
    if (form) return back(c, data.from ?? "");
    return respondJson(c, { deleted: true } satisfies ViewDeleted);
  });
  return app;
}

/** Times are read by the schema; as text they look like numbers of a person. */
const unscreened: ReadonlySet<string> = new Set(["start_time", "end_time"]);

/**
 * The query of a view, as the list reads it.
 * @throws CodedError `body_invalid` for none, or one that the list refuses; the guard's codes
 */
function sharedQuery(text: string): string {
  const parameters = new URLSearchParams(text);
  const query = viewQuery(parameters);
  const given = Object.fromEntries(new URLSearchParams(query));
  const repeated = Object.keys(given).length !== new URLSearchParams(query).size;
  if (query === "" || repeated || !turnsParameters.safeParse(given).success) {
    throw new CodedError("body_invalid", { field: "query" });
  }
  for (const [key, value] of Object.entries(given)) {
    if (!unscreened.has(key)) requireAdmitted("query", value, queryCharsMax);
  }
  return query;
}

/** Users that the terms of a query name, negated ones and words of free text among them. */
function usersIn(query: string): readonly string[] {
  const named = termsOf(new URLSearchParams(query)).filter(
    ({ key }) => key === "user" || key === textKey,
  );
  return named.map(({ value }) => value);
}
