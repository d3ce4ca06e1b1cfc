// What is said: each text is used somewhere, and is there in each language.

import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { en } from '../app/i18n/en.js';
import { tr } from '../app/i18n/tr.js';

const app = new URL('../app/', import.meta.url);
const files = (await readdir(app, { recursive: true })).filter((file) => file.endsWith('.js') && !file.startsWith('i18n/'));
const code = (await Promise.all(files.map((file) => readFile(new URL(file, app), 'utf8')))).join('\n');

test('no text is said nowhere', () => {
  const read = [...code.matchAll(/\b(?:t|text\(\))\.(\w+)/g)].map(([, key]) => key);
  const taken = [...code.matchAll(/\{([^{}]*)\} = text\(\)/g)].flatMap(([, keys]) => keys.split(',').map((key) => key.split(':')[0].trim()));
  const used = new Set([...read, ...taken]);
  assert.deepEqual(Object.keys(en).filter((key) => !used.has(key)), []);
});

test('every language says the same things', () => {
  const keys = (texts) => Object.entries(texts).flatMap(([key, value]) => (Object.getPrototypeOf(value) === Object.prototype ? [key, ...keys(value).map((one) => `${key}.${one}`)] : [key]));
  assert.deepEqual(keys(tr).sort(), keys(en).sort());
});
