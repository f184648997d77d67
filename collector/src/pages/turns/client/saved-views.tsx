/**
 * @module SavedViews: the reader's own views, stored only in this browser for this account. A view
 * can be named, renamed, shared, deleted and restored by keyboard alone.
 */
import type { nameRefusal } from "./name-refusal.ts";
import { readSaved, viewQuery, withSaved } from "../../../ui/display/list-views.ts";
import type { SavedView } from "../../../ui/display/list-views.ts";
import { SavedViewItem, ViewNameForm } from "../../../ui/elements/list-views.tsx";
import { announce, base, drawn, find, findAll } from "../../../ui/client/page.ts";
import { choose, preference } from "../../../ui/client/preferences.ts";
import { addShortcuts } from "../../../ui/client/shortcuts.ts";

let rule: { readonly nameRefusal: typeof nameRefusal } | undefined;

async function loadRule(): Promise<void> {
  try {
    rule ??= await import("./name-refusal.ts");
  } catch {
    // Without the rule no name is stored: the next one that is sent loads it again.
  }
}

const away = "The collector does not answer, so the name could not be checked. Save it again.";

/** Shows a refusal beside the name, which stays in its box. */
function refuse(form: HTMLFormElement, refusal: string): void {
  const line = find<HTMLElement>("[data-problem]", form);
  const field = find<HTMLInputElement>("input", form);
  if (line === undefined || field === undefined) return;
  line.hidden = false;
  line.textContent = refusal;
  field.setAttribute("aria-invalid", "true");
  field.setAttribute("aria-describedby", line.id);
  field.focus();
}

/** Starts the views of the page, whose query is given. */
export function startViews(query: URLSearchParams): void {
  const nav = find("[data-views]");
  if (nav === undefined) return;
  const views = new Views(nav, viewQuery(query));
  views.start();
}

class Views {
  readonly #nav: HTMLElement;
  readonly #query: string;
  readonly #key: string;
  #saved: readonly SavedView[] = [];

  constructor(nav: HTMLElement, query: string) {
    this.#nav = nav;
    this.#query = query;
    this.#key = `turnproof.views:${nav.dataset["keeper"] ?? ""}`;
  }

  start(): void {
    this.#saved = this.#read();
    this.#draw();
    const button = find("[data-view=save]", this.#nav);
    if (button !== undefined) button.hidden = false;
    this.#nav.addEventListener("click", (event) => this.#onClick(event));
    // Another tab stored views.
    window.addEventListener("storage", ({ key }) => {
      if (key !== this.#key) return;
      this.#saved = this.#read();
      this.#draw();
    });
    const group = "List" as const;
    addShortcuts([
      {
        keys: ["v"],
        label: "Views",
        group,
        run: () => (find("a[aria-current]", this.#nav) ?? find("a", this.#nav))?.focus(),
      },
      { keys: ["V"], label: "Save this view", group, run: () => this.#name() },
    ]);
  }

  #read(): readonly SavedView[] {
    try {
      return readSaved(localStorage.getItem(this.#key));
    } catch {
      // Storage can be forbidden; views then last as long as the page.
      return this.#saved;
    }
  }

  #keep(next: readonly SavedView[]): void {
    this.#saved = next;
    try {
      localStorage.setItem(this.#key, JSON.stringify(next));
    } catch {
      announce("Browser storage is off: the view is lost when the page closes");
    }
    this.#draw();
  }

  #draw(): void {
    for (const item of findAll("[data-saved]", this.#nav)) item.remove();
    const items = this.#saved.map((view) => (
      <SavedViewItem
        view={view}
        path={`${base}/traces`}
        query={this.#query}
        shares={find("[data-share-form]", this.#nav) !== undefined}
      />
    ));
    find("[data-view-list]", this.#nav)?.append(drawn(items));
  }

  #itemOf(name: string): HTMLElement | undefined {
    return findAll("[data-saved]", this.#nav).find((item) => item.dataset["saved"] === name);
  }

  #onClick(event: MouseEvent): void {
    const target = event.target as Element;
    const name = target.closest<HTMLElement>("[data-saved]")?.dataset["saved"] ?? "";
    const does = target.closest<HTMLElement>("[data-view]")?.dataset["view"];
    const density = target.closest<HTMLElement>("a[data-density]")?.dataset["density"];
    if (does === "save") this.#name();
    else if (does === "rename") this.#rename(name);
    else if (does === "share") this.#share(name);
    else if (does === "delete") this.#delete(name);
    else if (density !== undefined) choose("density", density);
  }

  #name(): void {
    const place = find("[data-view-place]", this.#nav);
    if (place === undefined) return;
    const density = preference("density") === "dense" ? "dense" : "normal";
    this.#requestName(place, "", "Save", (name) => {
      this.#keep(withSaved(this.#saved, { name, query: this.#query, density }));
      announce(`Saved as ${name}`);
      this.#focus(name);
    });
  }

  #rename(name: string): void {
    const item = this.#itemOf(name);
    const view = this.#saved.find((one) => one.name === name);
    if (item === undefined || view === undefined) return;
    this.#requestName(item, name, "Rename", (next) => {
      const others = this.#saved.filter((one) => one === view || one.name !== next);
      this.#keep(others.map((one) => (one === view ? { ...view, name: next } : one)));
      announce(`Renamed to ${next}`);
      this.#focus(next);
    });
  }

  /** Sends the page's form with this view; the page that answers shows it among the shared ones. */
  #share(name: string): void {
    const form = find<HTMLFormElement>("[data-share-form]", this.#nav);
    const view = this.#saved.find((one) => one.name === name);
    if (form === undefined || view === undefined) return;
    const fields = { name, query: view.query };
    for (const [field, value] of Object.entries(fields)) {
      const input = find<HTMLInputElement>(`input[name=${field}]`, form);
      if (input !== undefined) input.value = value;
    }
    form.requestSubmit();
  }

  #delete(name: string): void {
    const before = this.#saved;
    this.#keep(before.filter((one) => one.name !== name));
    announce(`${name} deleted`);
    const undo = drawn(
      <li data-saved={name} class="undone">
        <span class="muted">{name} deleted</span>
        <button class="button small" type="button">
          Undo
        </button>
      </li>,
    ) as HTMLElement;
    const button = find("button", undo);
    button?.addEventListener("click", () => {
      this.#keep(before);
      this.#focus(name);
    });
    find("[data-view-list]", this.#nav)?.append(undo);
    button?.focus();
  }

  /** Shows a name form in this place; the previous content returns afterwards. */
  #requestName(place: HTMLElement, name: string, word: string, done: (name: string) => void): void {
    if (find("[data-view-name]", place) !== undefined) return;
    const form = drawn(<ViewNameForm name={name} word={word} />) as HTMLFormElement;
    const field = find<HTMLInputElement>("input", form);
    const stood = [...place.childNodes];
    const opener = document.activeElement as HTMLElement | null;
    const close = (): void => {
      place.replaceChildren(...stood);
      opener?.focus();
    };
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const entered = field?.value.trim() ?? "";
      if (entered === "") return;
      const take = (): void => {
        const refusal = rule === undefined ? away : rule.nameRefusal(entered);
        if (!form.isConnected) return;
        if (refusal !== undefined) return refuse(form, refusal);
        close();
        done(entered);
      };
      if (rule === undefined) void loadRule().then(take);
      else take();
    });
    form.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      close();
    });
    find("[data-view=cancel]", form)?.addEventListener("click", close);
    place.replaceChildren(form);
    // Loaded while the name is typed.
    void loadRule();
    field?.focus();
    field?.select();
  }

  #focus(name: string): void {
    find("a", this.#itemOf(name))?.focus();
  }
}
