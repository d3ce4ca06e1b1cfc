// Two clocks: the service's, and the one of whoever looks.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceClock } from '../app/net/clock.js';
import { clockText, timeControlPresets, withinBounds } from '../app/time-controls.js';

/** A clock here that shows `here.ms`, and a service whose own is `ahead` of it. */
function world(ahead) {
  const here = { ms: 1000 };
  const clock = new ServiceClock(() => here.ms, () => 500_000 + here.ms);
  return { here, clock, service: () => here.ms + ahead };
}

test('until something is heard, both clocks are believed to agree', () => {
  const { clock } = world(0);
  assert.equal(clock.now(), 501_000);
});

test('the quickest frame counts, however late the others come', () => {
  const { here, clock, service } = world(7_000_000);
  for (const latency of [300, 40, 900, 15, 200]) {
    const told = service();
    here.ms += latency;
    clock.hear(told);
  }
  assert.equal(service() - clock.now(), 15);
});

test('what was missed and comes afterwards changes nothing', () => {
  const { here, clock, service } = world(-40_000);
  clock.hear(service());
  const old = service() - 3_600_000;
  here.ms += 10;
  clock.hear(old);
  assert.equal(clock.now(), service());
});

test('a clock that stood still while the machine slept is right again with the next frame', () => {
  const { here, clock } = world(0);
  clock.hear(1_000_000);
  here.ms += 5;
  // An hour passed that the clock here did not count.
  clock.hear(4_600_000);
  assert.equal(clock.now(), 4_600_000);
});

test('what was heard long ago is forgotten, since clocks drift', () => {
  const { here, clock } = world(0);
  clock.hear(10_000);
  here.ms += 11 * 60_000;
  const told = here.ms + 8_000;
  clock.hear(told);
  assert.equal(clock.now(), told);
});

test('a date in whole seconds corrects only what is far off', () => {
  const { clock } = world(0);
  clock.hearRoughly(502_000);
  assert.equal(clock.now(), 501_000);
  clock.hearRoughly(620_000);
  assert.equal(clock.now(), 620_500);
  clock.hear(601_000);
  assert.equal(clock.now(), 601_000);
});

test('a clock shows minutes and seconds, hours when there are some, and tenths when they count', () => {
  const shown = [
    [0, '0:00.0'],
    [-5, '0:00.0'],
    [940, '0:00.9'],
    [19_990, '0:19.9'],
    [20_000, '0:20'],
    [59_999, '0:59'],
    [600_000, '10:00'],
    [3_600_000, '1:00:00'],
    [10_799_000, '2:59:59'],
  ];
  for (const [ms, text] of shown) assert.equal(clockText(ms), text, String(ms));
});

test('every time control that is offered is one that the service takes', () => {
  for (const kind of ['mancala', 'dicechess']) {
    const presets = timeControlPresets(kind);
    assert.ok(presets.length > 4);
    for (const preset of presets) assert.ok(withinBounds(preset), JSON.stringify(preset));
    assert.equal(new Set(presets.map((preset) => JSON.stringify(preset))).size, presets.length);
  }
  assert.deepEqual(timeControlPresets('dicechess')[0], { type: 'fischer', initialS: 600, incrementS: 10 });
  assert.deepEqual(timeControlPresets('mancala')[0], { type: 'unlimited' });
  for (const wrong of [
    { type: 'suddenDeath', initialS: 9 },
    { type: 'suddenDeath', initialS: 10_801 },
    { type: 'fischer', initialS: 60, incrementS: 181 },
    { type: 'fischer', initialS: 60, incrementS: -1 },
    { type: 'fischer', initialS: 60.5, incrementS: 1 },
    { type: 'perMove', seconds: NaN },
  ]) {
    assert.equal(withinBounds(wrong), false, JSON.stringify(wrong));
  }
});
