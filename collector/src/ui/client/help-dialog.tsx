/**
 * @module HelpDialog: the shortcuts of this page, generated from their table, and the meaning of
 * the words that pages explain in place.
 */
import { glossary } from "../display/glossary.ts";
import { drawn, find } from "./page.ts";
import { shortcuts } from "./shortcuts.ts";
import type { Shortcut } from "./shortcuts.ts";

const signs: { readonly [key: string]: string } = {
  ArrowLeft: "←",
  ArrowRight: "→",
  ArrowUp: "↑",
  ArrowDown: "↓",
  Escape: "Esc",
};

const groups = ["Everywhere", "List", "Turn", "Go to"] as const;

/** Opens the help, or closes it when it is open. */
export function toggleHelp(): void {
  const open = find<HTMLDialogElement>("dialog[data-help]");
  if (open !== undefined) {
    open.close();
    return;
  }
  const dialog = drawn(<HelpDialog table={shortcuts()} />) as HTMLDialogElement;
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => {
    const target = event.target as Element;
    if (target === dialog || target.closest("[data-close]") !== null) dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
}

function HelpDialog({ table }: { readonly table: readonly Shortcut[] }) {
  return (
    <dialog data-help aria-label="Shortcuts and glossary">
      <header>
        <h2>Shortcuts and glossary</h2>
        <button class="button bare" type="button" data-close aria-label="Close">
          ✕
        </button>
      </header>
      <div class="keys">
        {groups.map((group) => {
          const rows = table.filter((shortcut) => shortcut.group === group);
          return rows.length === 0 ? null : (
            <section>
              <h3>{group}</h3>
              <dl>
                {[...Map.groupBy(rows, ({ label }) => label)].map(([label, same]) => (
                  <>
                    <dt>
                      {same
                        .flatMap(({ keys }) => keys)
                        .map((key) => (
                          <kbd>{signs[key] ?? key}</kbd>
                        ))}
                    </dt>
                    <dd>{label}</dd>
                  </>
                ))}
              </dl>
            </section>
          );
        })}
      </div>
      <section class="words">
        <h3>Words</h3>
        <dl>
          {Object.entries(glossary).map(([word, meaning]) => (
            <>
              <dt>{word}</dt>
              <dd>{meaning}</dd>
            </>
          ))}
        </dl>
      </section>
    </dialog>
  );
}
