// Makes types/api.d.ts from the service's own descriptions of its interfaces.
//
//   node web/tools/types.mjs          writes it
//   node web/tools/types.mjs --check  fails if the committed one is another

import { readFile, writeFile } from 'node:fs/promises';
import { compile } from 'json-schema-to-typescript';

const target = new URL('../types/api.d.ts', import.meta.url);
const document = async (name) =>
  JSON.parse((await readFile(new URL(`../../docs/${name}.json`, import.meta.url), 'utf8')).replaceAll('#/components/schemas/', '#/definitions/'));

const openapi = await document('openapi');
const asyncapi = await document('asyncapi');

/** The frames of one direction: a property for each channel, of its payload's type. */
function frames(operation) {
  const properties = {};
  for (const { $ref } of asyncapi.operations[operation].messages) {
    const name = $ref.split('/').at(-1);
    properties[name] = asyncapi.components.messages[name].payload.properties.payload ?? { type: 'null' };
  }
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

const schema = {
  title: 'Interfaces',
  type: 'object',
  properties: {},
  additionalProperties: false,
  definitions: {
    ...openapi.components.schemas,
    ...asyncapi.components.schemas,
    ClientFrames: { ...frames('receive'), description: 'What a client sends, by channel.' },
    ServerFrames: { ...frames('send'), description: 'What a client gets, by channel.' },
  },
};

/** Numbers of a fixed count are tuples only to the validator; to the client a board is a list. */
function loosen(node) {
  if (Array.isArray(node)) return node.map(loosen);
  if (node === null || typeof node !== 'object') return node;
  const { minItems: _min, maxItems: _max, ...rest } = node;
  return Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, loosen(value)]));
}

const text = await compile(loosen(schema), 'Interfaces', {
  bannerComment: '// Made by tools/types.mjs from docs/openapi.json and docs/asyncapi.json. Do not edit.',
  unreachableDefinitions: true,
  additionalProperties: false,
  style: { singleQuote: true, printWidth: 120 },
});

if (process.argv.includes('--check')) {
  if ((await readFile(target, 'utf8').catch(() => '')) !== text) {
    console.error('web/types/api.d.ts is out of date: node web/tools/types.mjs');
    process.exit(1);
  }
} else {
  await writeFile(target, text);
}
