import { expect, test } from 'vitest';
import { compareNames } from '../../../src/core/name-order.ts';
import { coversAllNames, Ledger } from '../../../src/ranges/ledger.ts';
import { randomFrom } from '../../support/random-from.ts';

const NAMES = Array.from({ length: 40 }, (_, i) => String.fromCharCode(0x41 + i));

/** Who works on what, as the workers themselves see it. */
interface Worker {
  readonly token: string;
  readonly phase: string;
  readonly after: string | undefined;
  readonly last: () => string | undefined;
  /** The names that it has handled. */
  readonly seen: string[];
  isGone: boolean;
}

/** A run of random claims, reaches, cuts, ends, failures, late results and new processes. */
function randomRun(seed: number): void {
  const random = randomFrom(seed);
  const pick = <T>(from: readonly T[]): T | undefined => from[random(from.length)];
  let ledger = new Ledger();
  let workers: Worker[] = [];
  let tokens = 0;
  const copied = new Set<string>();
  const extra = new Set(NAMES.filter(() => random(10) === 0));
  const deleted = new Set<string>();
  const inside = (worker: Worker) =>
    NAMES.filter(
      (name) =>
        (worker.after === undefined || compareNames(name, worker.after) > 0) &&
        (worker.last() === undefined || compareNames(name, worker.last() ?? '') <= 0),
    );
  const claim = () => {
    const token = `t${++tokens}`;
    const claimed = ledger.claim(token);
    if (claimed === undefined) return;
    const { phase, after } = claimed;
    workers.push({ token, phase, after, last: () => claimed.last, seen: [], isGone: false });
  };
  const handleOne = (worker: Worker) => {
    const next = inside(worker).find((name) => !worker.seen.includes(name));
    if (next === undefined) return finish(worker);
    if (!ledger.reach(worker.token, next)) return;
    worker.seen.push(next);
    if (worker.phase === 'deleting') {
      expect(copied.size, 'deleted before all was copied').toBe(NAMES.length);
      if (extra.has(next)) deleted.add(next);
    }
  };
  const finish = (worker: Worker) => {
    const names = inside(worker);
    expect(worker.seen).toEqual(names);
    const counts = { files: names.length, extra: names.filter((name) => extra.has(name)).length };
    expect(ledger.done(worker.token, counts)).toBe(true);
    expect(ledger.done(worker.token, counts), 'a late result').toBe(false);
    if (worker.phase === 'copying') for (const name of names) copied.add(name);
    workers = workers.filter((one) => one !== worker);
  };
  const steps: (() => void)[] = [
    claim,
    claim,
    ...Array.from({ length: 12 }, () => () => {
      const worker = pick(workers);
      if (worker !== undefined) handleOne(worker);
    }),
    () => {
      const worker = pick(workers);
      if (worker === undefined) return;
      const reached = worker.seen.at(-1);
      const point = pick([...NAMES, 'Aa', 'b~', '']) ?? '';
      const done = ledger.cut(worker.token, point);
      if (done && reached !== undefined) expect(compareNames(point, reached) >= 0).toBe(true);
    },
    () => {
      const worker = pick(workers);
      if (worker === undefined) return;
      expect(ledger.fail(worker.token)).toBe(true);
      workers = workers.filter((one) => one !== worker);
      for (const refused of [ledger.reach(worker.token, 'A'), ledger.cut(worker.token, 'B')])
        expect(refused).toBe(false);
      expect(ledger.done(worker.token, { files: 0, extra: 0 })).toBe(false);
    },
    () => ledger.reopen(),
    () => void ledger.nextPhase(true),
    () => {
      if (random(5) > 0) return;
      // The process is killed; the next one reads what was saved.
      ledger = new Ledger(JSON.parse(JSON.stringify(ledger.record())));
      workers = [];
    },
  ];
  for (let step = 0; step < 400; step++) {
    pick(steps)?.();
    const { ranges } = ledger.record();
    if (!coversAllNames(ranges)) expect.fail(`a gap or an overlap: ${JSON.stringify(ranges)}`);
    const held = workers.flatMap((worker) => inside(worker));
    if (new Set(held).size < held.length) expect.fail('two work on one name');
  }
  for (let step = 0; step < 10_000 && ledger.phase !== 'done'; step++) {
    ledger.reopen();
    if (workers.length === 0) claim();
    const [worker] = workers;
    if (worker !== undefined) handleOne(worker);
    else ledger.nextPhase(true);
  }
  expect(ledger.phase).toBe('done');
  expect([...copied].sort(compareNames)).toEqual(NAMES);
  expect([...deleted].sort()).toEqual([...extra].sort());
}

const RUNS = Number(process.env['SYNCER_TEST_LEDGER_RUNS'] ?? 100);

test(`${RUNS} random runs cover all names, each once, and delete nothing too early`, () => {
  for (let seed = 1; seed <= RUNS; seed++) randomRun(seed);
});

test.each([
  [[{ last: 'm' }, { after: 'm' }], true],
  [[{}], true],
  [[{ last: 'm' }, { after: 'n' }], false],
  [[{ last: 'm' }, { after: 'a' }], false],
  [[{ last: 'm' }], false],
  [[{ after: 'a' }], false],
  [[{ last: 'm' }, { after: 'm', last: 'm' }, { after: 'm' }], false],
  [[{}, {}], false],
] as const)('%j covers all names: %s', (ranges, covers) => {
  expect(coversAllNames(ranges)).toBe(covers);
});

test('finished neighbours become one range, unless they have extra files', () => {
  const ledger = new Ledger();
  ledger.claim('a');
  ledger.cut('a', 'm');
  ledger.claim('b');
  ledger.cut('b', 't');
  ledger.claim('c');
  ledger.done('a', { files: 1, extra: 0 });
  ledger.done('c', { files: 1, extra: 2 });
  ledger.done('b', { files: 1, extra: 0 });
  expect(ledger.record().ranges).toEqual([
    { last: 't', isDone: true, files: 2, extra: 0 },
    { after: 't', isDone: true, files: 1, extra: 2 },
  ]);
  expect(ledger.nextPhase(true)).toBe(true);
  expect(ledger.claim('d')).toMatchObject({ phase: 'deleting', after: 't' });
});
