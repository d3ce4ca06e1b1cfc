import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

const root = new URL('../', import.meta.url);
const read = (path) => readFile(new URL(path, root));
const vendored = (await read('vendor/versions.txt')).toString().trim().split('\n').map((line) => line.split(/(?<=.)@/));
const MODULES = {
  lit: ['index.js'],
  'lit-element': ['lit-element.js'],
  'lit-html': ['lit-html.js', 'is-server.js'],
  '@lit/reactive-element': ['reactive-element.js', 'css-tag.js'],
  'cm-chessboard': [
    'src/Chessboard.js',
    'src/lib/Svg.js',
    'src/lib/Utils.js',
    'src/model/ChessboardState.js',
    'src/model/Extension.js',
    'src/model/Position.js',
    'src/view/ChessboardView.js',
    'src/view/PositionAnimationsQueue.js',
    'src/view/VisualMoveInput.js',
  ],
};

test('what the client loads from others is what npm has, byte for byte, with its licence', async () => {
  for (const [name, version] of vendored) {
    assert.ok((await read(`vendor/${name}/LICENSE`)).length > 500, name);
    for (const file of MODULES[name] ?? []) {
      const { version: installed } = JSON.parse(await read(`node_modules/${name}/package.json`));
      assert.equal(installed, version, name);
      assert.deepEqual(await read(`vendor/${name}/${file}`), await read(`node_modules/${name}/${file}`), `${name}/${file}`);
    }
  }
});

test('every module that is imported by name is mapped to a file that is there', async () => {
  const [, map] = /<script type="importmap">([^]*?)<\/script>/.exec((await read('index.html')).toString());
  const { imports } = JSON.parse(map);
  for (const path of Object.values(imports)) await read(path.replace('/web/', ''));
  for (const [name, files] of Object.entries(MODULES)) {
    for (const file of files) {
      const text = (await read(`vendor/${name}/${file}`)).toString();
      for (const [, wanted] of text.matchAll(/(?:from|import)"([^".][^"]*)"/g)) assert.ok(wanted in imports, `${name}/${file} imports ${wanted}`);
    }
  }
});

test('no lock entry names a registry', async () => {
  const { packages } = JSON.parse(await read('package-lock.json'));
  assert.deepEqual(Object.keys(packages).filter((name) => packages[name].resolved), []);
});

test('the chess pieces are our own: those of the board module have licences that forbid some uses', async () => {
  const files = (await read('vendor/refresh.sh')).toString();
  assert.ok(!/assets|\.svg/.test(files));
});
