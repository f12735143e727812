import fc from 'fast-check';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../../commands/index.ts';
import { checkWords } from '../../../commands/job/job-words.ts';
import { jobUnitText } from '../../../commands/job/jobs.ts';
import {
  formatJobs,
  type Job,
  parseJobs,
  refuseJobName,
  runsOfJob,
} from '../../../src/config/job.ts';
import type { PastRun } from '../../../src/state/runs.ts';

const jobs = fc.uniqueArray(
  fc.record({
    name: fc.stringMatching(/^[A-Za-z_][\w.-]{0,20}$/),
    words: fc.array(fc.string()).map((words) => ['sync', ...words]),
  }),
  { selector: ({ name }) => name },
);

test('jobs are read as they were written, in the order of their names', () => {
  fc.assert(
    fc.property(jobs, (some) => {
      const sorted = some.toSorted((a, b) => (a.name < b.name ? -1 : 1));
      expect(parseJobs(formatJobs(some), 'j')).toEqual(sorted);
    }),
  );
  expect(parseJobs('\n', 'j')).toEqual([]);
});

test.each([
  '{',
  '[]',
  'null',
  '3',
  '{"a":null}',
  '{"a":{"command":"sync"}}',
  '{"a":{"command":[1]}}',
  '{"a":{"command":[]}}',
  '{"a":{"command":["run","a"]}}',
  '{"a":{"command":["config","delete","copy"]}}',
  '{"--delete":{"command":["copy","/a","/b"]}}',
  '{"a\\nb":{"command":["copy","/a","/b"]}}',
])('a damaged file is refused: %s', (text) => {
  expect(() => parseJobs(text, 'jobs.json')).toThrow('jobs.json');
});

test.each(['', '-x', 'a b', 'a/b', '../x', 'a\n', 'ä', '.hidden', 'x'.repeat(101)])(
  'no name of a job: "%s"',
  (name) => {
    expect(() => refuseJobName(name)).toThrow('the name of a job');
  },
);

test('runs of a job are those of its words, with more flags in front', () => {
  const job: Job = { name: 'j', words: ['sync', 'a', 'b'] };
  const run = (...words: string[]) => ({ words }) as unknown as PastRun;
  const runs = [
    run('sync', 'a', 'b'),
    run('sync', 'a', 'b', '-n'),
    run('--progress', 'sync', 'a', 'b'),
    run('b'),
    { ...run('-n', 'sync', 'a', 'b'), isTrial: true as const },
  ];
  expect(runsOfJob(job, runs)).toEqual([runs[0], runs[2]]);
});

test('a job is compared by its paths and the flags that check has', () => {
  const words = ['sync', '/a', 'r:b', '--exclude', '*.tmp', '--create-empty-src-dirs', '-c'];
  expect(checkWords({ name: 'j', words }, COMMANDS)).toEqual([
    '--exclude=*.tmp',
    '--checksum',
    'check',
    '/a',
    'r:b',
  ]);
  expect(checkWords({ name: 'j', words: ['copy', '/a', 'r:b'] }, COMMANDS)).toEqual([
    '--one-way',
    'check',
    '/a',
    'r:b',
  ]);
  expect(() => checkWords({ name: 'j', words: ['delete', 'r:b'] }, COMMANDS)).toThrow(
    'no two paths',
  );
});

test('the units of a job quote what systemd would replace', () => {
  const text = jobUnitText({
    name: 'docs',
    program: ['/opt/a b/node', '/opt/syncer.js'],
    flags: ['--config=/etc/50%.conf'],
    env: { HOME: '/root' },
    schedule: 'Mon *-*-* 04:00',
  });
  expect(text).toContain(
    'ExecStart="/opt/a b/node" /opt/syncer.js run docs --config=/etc/50%%.conf',
  );
  expect(text).toContain('Environment="HOME=/root"');
  expect(text).toContain('# syncer-docs.timer\n');
  expect(text).toContain('OnCalendar=Mon *-*-* 04:00');
});

test('a job that watches is a service without a timer', () => {
  const parts = { name: 'docs', program: ['syncer'], flags: [], env: {}, schedule: undefined };
  const text = jobUnitText(parts);
  expect(text).toContain('Type=exec\nRestart=on-abnormal\nRestartForceExitStatus=5\n');
  expect(text).toMatch(/\[Install\]\nWantedBy=default\.target\n$/);
  expect(text).not.toContain('timer');
});
