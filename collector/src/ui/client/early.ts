/**
 * @module Early: applies what the reader chose last time before anything is painted. It is a small
 * script of its own, because modules run late and inline scripts do not run at all.
 */
const chosen = (name: string): string | null => {
  try {
    return localStorage.getItem(`turnproof.${name}`);
  } catch {
    // Storage can be forbidden; then the system decides.
    return null;
  }
};

for (const name of ["theme", "density", "clock"]) {
  const value = chosen(name);
  if (value !== null) document.documentElement.setAttribute(`data-${name}`, value);
}
