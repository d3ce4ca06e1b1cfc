// Light, dark, or like the system.

const KEY = 'turnstream.theme';
const themes = /** @type {const} */ (['auto', 'light', 'dark']);

/** @typedef {typeof themes[number]} Theme */

/** @returns {Theme} */
export const theme = () => themes.find((name) => name === localStorage.getItem(KEY)) ?? 'auto';

export const applyTheme = () => void (document.documentElement.dataset.theme = theme());

/** @returns {Theme} the next one, which now holds */
export function nextTheme() {
  const next = themes[(themes.indexOf(theme()) + 1) % themes.length];
  localStorage.setItem(KEY, next);
  applyTheme();
  return next;
}
