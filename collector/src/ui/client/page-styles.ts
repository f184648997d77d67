/**
 * @module Page styles: `page.css` of every page's folder, between what all pages share and what has
 * the last word.
 */
import.meta.glob("../../pages/*/page.css", { eager: true });
