// The language that everything is said in. The others are loaded when they are chosen.

import { Emitter } from './emitter.js';

const KEY = 'turnstream.language';
/** @typedef {typeof import('./i18n/en.js').en} Texts */
const load = {
  en: () => import('./i18n/en.js').then(({ en }) => en),
  tr: () => import('./i18n/tr.js').then(({ tr }) => tr),
};

/** @typedef {keyof typeof load} Language */

export const languages = /** @type {Language[]} */ (Object.keys(load));

/** @returns {Language} */
function preferred() {
  const wanted = [localStorage.getItem(KEY), ...navigator.languages.map((tag) => tag.slice(0, 2))];
  return /** @type {Language} */ (wanted.find((tag) => tag && tag in load) ?? 'en');
}

/** @extends {Emitter<{ change: null }>} */
class I18n extends Emitter {
  /** @param {Language} language @param {Texts} texts */
  constructor(language, texts) {
    super();
    this.language = language;
    this.texts = texts;
  }

  /** @param {Language} language */
  async choose(language) {
    this.texts = await load[language]();
    this.language = language;
    localStorage.setItem(KEY, language);
    this.tell();
    this.emit('change', null);
  }

  /** Tells the browser, for hyphenation and for whoever reads aloud. */
  tell() {
    document.documentElement.lang = this.language;
  }
}

const first = preferred();
export const i18n = new I18n(first, await load[first]());

/** The texts of the chosen language. */
export const text = () => i18n.texts;

/** A day and a time of day. @param {number} at */
export function date(at) {
  // As it is written where the user is, if that is in the chosen language.
  const locale = navigator.languages.find((tag) => tag.startsWith(i18n.language)) ?? i18n.language;
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }).format(at);
}

/** Minutes and seconds. @param {number} ms */
export function countdown(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** A time control, short. @param {import('../types/api.d.ts').TimeControl} control */
export function timeControlText(control) {
  const t = text();
  switch (control.type) {
    case 'unlimited':
      return t.timeControls.unlimited;
    case 'suddenDeath':
      return duration(control.initialS);
    case 'fischer':
      return `${duration(control.initialS)} + ${duration(control.incrementS)}`;
    case 'perMove':
      return t.perMove(duration(control.seconds));
  }
}

/** @param {number} seconds */
function duration(seconds) {
  const { hours, minutes: min, seconds: s } = text().units;
  const parts = [
    [Math.floor(seconds / 3600), hours],
    [Math.floor(seconds / 60) % 60, min],
    [seconds % 60, s],
  ].filter(([n]) => n !== 0);
  return parts.map(([n, unit]) => `${n}\u00a0${unit}`).join(' ') || `0\u00a0${s}`;
}

/** What a problem is called here. @param {string} name */
export const problemText = (name) => text().problems[name] ?? text().problem;

/** A name for somebody who gave none. */
export function guestName() {
  const { adjectives, animals } = text();
  const any = (/** @type {string[]} */ words) => words[Math.floor(Math.random() * words.length)];
  return `${any(adjectives)} ${any(animals)}`;
}
