/**
 * @module Login page: the way to an identity provider, a field for a token, and what to do without
 * one.
 */
import type { Child } from "hono/jsx";

import type { PageContext } from "../../http/page-context.ts";
import type { LoginModel } from "./route.ts";
import { Note } from "../../ui/elements/panel.tsx";
import { BarePage, hrefOf } from "../../ui/layout.tsx";

/** The sign-in page. */
export function loginPage(model: LoginModel, context: PageContext): Child {
  return (
    <BarePage context={context} title="Sign in">
      <h1>Sign in</h1>
      {model.failed ? (
        <Note tone="bad">
          This token is not known, or belongs to another account. Check that it was copied whole.
        </Note>
      ) : null}
      {model.provider ? (
        <p>
          <a
            class={model.tokens ? "button" : "button primary"}
            href={hrefOf(context, `/login/provider?next=${encodeURIComponent(model.next)}`)}
          >
            Sign in with your identity provider
          </a>
        </p>
      ) : null}
      {model.tokens ? tokenForm(model, context) : null}
      <p class="muted">
        {model.tokens
          ? "The token of the operator or of an account, as this collector is configured. "
          : null}
        A session ends after half an hour without a request, or after eight hours.
      </p>
    </BarePage>
  );
}

function tokenForm(model: LoginModel, context: PageContext): Child {
  return (
    <form method="post" action={hrefOf(context, "/login")} class="login">
      <input type="hidden" name="next" value={model.next} />
      <label>
        <span>Account, if it has one</span>
        <input
          class="field mono"
          name="account"
          maxlength={64}
          autocomplete="username"
          autocapitalize="off"
          spellcheck={false}
        />
      </label>
      <label>
        <span>Token</span>
        <input
          class="field mono"
          type="password"
          name="token"
          required
          autofocus
          maxlength={512}
          autocomplete="current-password"
          autocapitalize="off"
          spellcheck={false}
          {...(model.failed ? { "aria-invalid": "true" } : {})}
        />
      </label>
      <button class="button primary" type="submit">
        Sign in
      </button>
    </form>
  );
}
