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

test('syncer ps shows apart what was sent and what the server has copied', () => {
  const far = {
    ...{ bytes: 1024, totalBytes: 5120, rate: 1024, files: 0, totalFiles: 1, checks: 0 },
    ...{ totalChecks: 0, deleted: 0, errors: 0, copiedByServer: 2048 },
  };
  const [, line] = psLines([{ ...run, startedMs: 0, state: 'running', far }], [], 5_000);
  expect(line).toContain('0 of 1 file, 1 KiB of 5 KiB, 2 KiB copied by the server  copy a b');
});

test('in a narrow window the rows are broken', () => {
  const lines = psLines(runs, [mount], 5_000, 24);
  expect(lines.join('\n')).toContain('7k3f  no response\n    5 s ago  -  copy a b');
});
