/**
 * @module Find in the browser: a typed e-mail address never becomes part of an address. The host's
 * directory resolves it, and the opaque id is searched for instead.
 */

import type { UserId } from "@turnproof/semconv";

import { announce, find } from "../../ui/client/page.ts";

const looksLikeEmail = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** Starts the page. */
export function start(): void {
  const form = find<HTMLFormElement>("[data-find]");
  const field = find<HTMLInputElement>("input[name=id]", form);
  if (form === undefined || field === undefined) return;
  const note = find("[data-find-note]", form);
  const print = (text: string): void => {
    if (note !== undefined) {
      note.hidden = text === "";
      note.textContent = text;
    }
    announce(text);
  };
  field.addEventListener("input", () => print(""));
  form.addEventListener("submit", (event) => {
    const typed = field.value.trim();
    if (!looksLikeEmail.test(typed)) {
      field.value = typed;
      return;
    }
    event.preventDefault();
    const href = form.dataset["resolve"];
    if (href === undefined) {
      print("An e-mail address is no id. Resolving one needs the permission account.resolve.");
      return;
    }
    print("Searching the directory …");
    void resolve(href, typed, find<HTMLInputElement>("[data-csrf]", form)?.value).then((found) => {
      if ("failure" in found) return print(found.failure);
      field.value = found.user;
      print("Found: searching for the account's opaque id.");
      form.submit();
    });
  });
}

const failures: { readonly [status: number]: string } = {
  403: "Your role may not resolve accounts.",
  404: "The directory knows no account of this address.",
  501: "No directory is configured here. Paste the opaque user id instead.",
};

async function resolve(
  href: string,
  email: string,
  csrf: string | undefined,
): Promise<{ readonly user: string } | { readonly failure: string }> {
  try {
    const response = await fetch(href, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json",
        ...(csrf === undefined ? {} : { "x-csrf-token": csrf }),
      },
      body: JSON.stringify({ email }),
    });
    if (!response.ok) {
      return { failure: failures[response.status] ?? "The directory did not answer." };
    }
    const { user_id: user } = (await response.json()) as {
      readonly user_id: UserId;
    };
    return { user };
  } catch {
    return { failure: "The directory did not answer." };
  }
}
