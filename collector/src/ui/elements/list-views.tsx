/**
 * @module ListViews: the views of the list of turns, built in and saved ones. The server draws the
 * built-in ones; the browser adds the saved ones.
 */
import type { Child, FC, PropsWithChildren } from "hono/jsx";

import { sameView, viewInRange, viewNameMax } from "../display/list-views.ts";
import type { ListView, SavedView } from "../display/list-views.ts";
import { Icon } from "../icons.tsx";
import { Refusal } from "./refusal.tsx";

/** Link of a view, in the range of the page. */
export const ViewLink: FC<
  PropsWithChildren<{
    /** The view's own query. */
    readonly of: string;
    readonly path: string;
    /** The page's present query. */
    readonly query: string;
    readonly title: string;
    readonly density?: SavedView["density"];
    /** Name under which the browser finds it again on the next page. */
    readonly control: string;
  }>
> = ({ of, path, query, title, density, control, children }) => {
  const own = viewInRange(of, query);
  return (
    <a
      href={`${path}${own}`}
      title={title}
      data-density={density}
      data-control={control}
      {...(sameView(own, query) ? { "aria-current": "true" } : {})}
    >
      {children}
    </a>
  );
};

/** Links of one set of views. */
const ViewLinks: FC<{
  readonly views: readonly ListView[];
  readonly path: string;
  /** The page's present query. */
  readonly query: string;
}> = ({ views, path, query }) => (
  <>
    {views.map((view) => (
      <li>
        <ViewLink
          of={view.query}
          path={path}
          query={query}
          title={view.title}
          control={`view ${view.name}`}
        >
          {view.name}
        </ViewLink>
      </li>
    ))}
  </>
);

/** A saved view, with its actions. */
export const SavedViewItem: FC<{
  readonly view: SavedView;
  readonly path: string;
  readonly query: string;
  /** True where the reader may share it. */
  readonly shares: boolean;
}> = ({ view: { name, query: own, density }, path, query, shares }) => (
  <li data-saved={name}>
    <ViewLink
      of={own}
      path={path}
      query={query}
      title={`${name}: kept in this browser`}
      density={density}
      control={`view saved ${name}`}
    >
      {name}
    </ViewLink>
    <button class="button bare small" type="button" data-view="rename" title={`Rename ${name}`}>
      <Icon name="edit" label={`Rename ${name}`} />
    </button>
    {shares && own !== "" ? (
      <button
        class="button bare small"
        type="button"
        data-view="share"
        title={`Share ${name} with all operators of the tenant`}
      >
        <Icon name="remote" label={`Share ${name}`} />
      </button>
    ) : null}
    <button class="button bare small" type="button" data-view="delete" title={`Delete ${name}`}>
      <Icon name="close" label={`Delete ${name}`} />
    </button>
  </li>
);

/** The box that names a view, new or renamed. */
export const ViewNameForm: FC<{ readonly name: string; readonly word: string }> = ({
  name,
  word,
}) => (
  <form class="view-name" data-view-name>
    <input
      class="field"
      type="text"
      value={name}
      placeholder="Name of the view"
      aria-label="Name of the view"
      maxlength={viewNameMax}
      required
      autocomplete="off"
    />
    <button class="button small primary" type="submit">
      {word}
    </button>
    <button class="button small" type="button" data-view="cancel">
      Cancel
    </button>
    <Refusal of="view-name" />
  </form>
);

/** The views of the page. `keeper` distinguishes accounts of one browser. */
export const ListViews: FC<{
  readonly views: readonly ListView[];
  readonly path: string;
  readonly query: string;
  readonly keeper: string;
  /** Views that others share. */
  readonly children?: Child;
}> = ({ views, path, query, keeper, children }) => (
  <nav class="views" aria-label="Views of the turns" data-views data-keeper={keeper} slot="views">
    <h2>Views</h2>
    <ul data-view-list>
      <ViewLinks views={views} path={path} query={query} />
    </ul>
    <div data-view-place>
      <button
        class="button small"
        type="button"
        data-view="save"
        title="Keep these filters, times and row height under a name, in this browser (V)"
        hidden
      >
        Save view
      </button>
    </div>
    {children}
  </nav>
);
