/**
 * @module SharedList: the views that all operators of a tenant see, with forms that share, rename
 * and delete them. They work without scripts; the browser's module fills the form for a saved view.
 */
import type { FC } from "hono/jsx";

import { permits } from "../../access/principal.ts";
import type { PageContext } from "../../http/page-context.ts";
import type { SharedView } from "../../turns/shared-views.ts";
import { viewNameCharsMax } from "../../turns/written-text.ts";
import { viewQuery } from "../../ui/display/list-views.ts";
import { Hidden } from "../../ui/elements/hidden.tsx";
import { ViewLink } from "../../ui/elements/list-views.tsx";
import { Icon } from "../../ui/icons.tsx";
import { hrefOf } from "../../ui/layout.tsx";

/** The list and the form; nothing where there is no view and none can be shared. */
export const SharedList: FC<{
  readonly views: readonly SharedView[];
  readonly context: PageContext;
}> = ({ views, context }) => {
  const { principal, readOnly } = context;
  const shares = !readOnly && principal !== undefined && permits(principal, "view.share");
  if (views.length === 0 && !shares) return <></>;
  const query = viewQuery(context.query);
  return (
    <div class="shared">
      {views.length === 0 ? null : (
        <>
          <h2>Shared views</h2>
          <ul>
            {views.map((view) => (
              <Item view={view} query={query} shares={shares} context={context} />
            ))}
          </ul>
        </>
      )}
      {shares ? <ShareForm query={query} context={context} /> : null}
    </div>
  );
};

const Item: FC<{
  readonly view: SharedView;
  readonly query: string;
  readonly shares: boolean;
  readonly context: PageContext;
}> = ({ view: { id, name, query: own, by }, query, shares, context }) => {
  const fields = { csrf_token: context.csrfToken, id, from: query };
  return (
    <li>
      <ViewLink
        of={own}
        path={hrefOf(context, "/traces")}
        query={query}
        title={`${name}: shared by ${by}`}
        control={`view shared ${id}`}
      >
        {name}
      </ViewLink>
      {shares ? (
        <details class="view-acts">
          <summary title={`Rename or delete ${name}`}>
            <Icon name="edit" label={`Rename or delete ${name}, for all`} />
          </summary>
          <form class="view-name" method="post" action={hrefOf(context, "/traces/views/rename")}>
            <Hidden fields={fields} />
            <NameField value={name} label={`New name of ${name}`} />
            <button class="button small" type="submit">
              Rename
            </button>
          </form>
          <form class="view-name" method="post" action={hrefOf(context, "/traces/views/delete")}>
            <Hidden fields={fields} />
            <button class="button small" type="submit">
              Delete for all
            </button>
          </form>
        </details>
      ) : null}
    </li>
  );
};

/** Hidden without filters; the browser's module can still fill and send it. */
const ShareForm: FC<{ readonly query: string; readonly context: PageContext }> = ({
  query,
  context,
}) => (
  <details class="share" hidden={query === ""}>
    <summary title="Keep these filters under a name that all operators of the tenant see">
      Share these filters
    </summary>
    <form class="view-name" method="post" action={hrefOf(context, "/traces/views")} data-share-form>
      <Hidden fields={{ csrf_token: context.csrfToken, query }} />
      <NameField value="" label="Name of the shared view" />
      <button class="button small" type="submit">
        Share
      </button>
    </form>
  </details>
);

const NameField: FC<{ readonly value: string; readonly label: string }> = ({ value, label }) => (
  <input
    class="field"
    type="text"
    name="name"
    value={value}
    placeholder="Name"
    aria-label={label}
    maxlength={viewNameCharsMax}
    required
    autocomplete="off"
  />
);
