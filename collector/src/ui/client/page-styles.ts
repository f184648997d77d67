/**
 * @module Page styles: `page.css` of every page's folder, after the shared styles and before the
 * overrides.
 */
import.meta.glob("../../pages/*/page.css", { eager: true });
