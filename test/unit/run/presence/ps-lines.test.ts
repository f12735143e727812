import { expect, test } from 'vitest';
import { psLines } from '../../../../commands/ps/running.ts';

const run = { id: '20261121-113012-7k3f', words: ['copy', 'a', 'b'], dir: '/', pid: 1 };
const runs = [{ ...run, startedMs: 0, state: 'silent' }] as const;
const mount = {
  ...{ mountPoint: '/m', source: 's:', state: 'live', pending: 0, pendingBytes: 0 },
  ...{ failed: 0, cachedFiles: 0, cachedBytes: 0 },
};

test('nothing, a run and a mount, and their users if one is named', () => {
  expect(psLines([], [], 0)).toEqual(['Nothing is running.']);
  expect(psLines(runs, [mount], 5_000)).toEqual([
    'RUN   STATE        STARTED  DONE  COMMAND',
    '7k3f  no response  5 s ago  -     copy a b',
    '-     live         -        -     mount s: /m',
  ]);
  const named = runs.map((one) => ({ ...one, user: 'ann\u001b[31m' }));
  expect(psLines(named, [mount], 5_000)).toEqual([
    expect.stringMatching(/^RUN {3}USER +STATE /),
    expect.stringMatching(/^7k3f {2}ann[^\u001b]+ no response {2}5 s ago/),
    expect.stringMatching(/^- {5}- +live /),
  ]);
});

test('in a narrow window the rows are broken', () => {
  const lines = psLines(runs, [mount], 5_000, 24);
  expect(lines.join('\n')).toContain('7k3f  no response\n    5 s ago  -  copy a b');
});
