import { expect, test } from 'vitest';
import { COMMANDS } from '../../../../commands/index.ts';
import { parseCommandLine } from '../../../../src/shell/command-line/parse-command-line.ts';
import { refuseExcluded } from '../../../../src/shell/flags/exclusions.ts';

const parse = (words: string, env: NodeJS.ProcessEnv = {}) =>
  parseCommandLine(words.split(' '), { commands: COMMANDS, backendFlags: [], env, nowMs: 0 });

/** What is said about a command line; `undefined` if it is not refused. */
function refusal(words: string, env?: NodeJS.ProcessEnv): string | undefined {
  const line = parse(words, env);
  try {
    for (const moment of ['log', 'run'] as const)
      refuseExcluded(line.summary ?? { name: '' }, line, moment);
    return undefined;
  } catch (thrown) {
    return (thrown as Error).message;
  }
}

test.each([
  ['ls -q -v', "Can't set -v and -q"],
  ['ls -v --log-level=notice', "Can't set -v and --log-level"],
  ['lsf --compare-dest a --copy-dest b', "can't use --compare-dest with --copy-dest: "],
  ['lsf --delete-before --delete-during', 'only one of --delete-before, --delete-during'],
  ['sync --queue x --track-renames', "can't use --queue with --track-renames: its work needs"],
  ['sync --queue x --checkpoint', "can't use --queue with --checkpoint: a run in a queue"],
  ['check --queue x --combined -', '--combined: the queue holds no lists of names'],
  ['copy --queue x --header-upload X:secret', 'headers may be secrets'],
  ['copy --queue x --metadata-mapper cat', 'workers run no programs for others'],
  ['copy --queue x --lock-wait 0', 'one run for each destination'],
  ['move --queue x --ignore-times', "can't use --queue with --ignore-times: a move deletes"],
  ['copy --queue x --guard on', '--guard: no worker knows all files'],
  ['copy --checkpoint --max-transfer 0', '--max-transfer'],
  ['worker --checksum', "can't use syncer worker with --checksum: the command of a run decides"],
  ['worker --retries=3', "can't use syncer worker with --retries"],
  ['scrub --no-hash-cache', "can't use syncer scrub with --no-hash-cache: "],
])('%s is refused', (words, says) => {
  expect(refusal(words)).toContain(says);
});

test.each([
  'ls -v -v',
  'sync --queue x --guard off',
  'sync --queue x --guard on,off',
  'sync --queue x --ignore-times',
  'ps --queue x --dry-run --order-by size',
  'worker --transfers 8',
  'bisync --watch --error-on-no-transfer',
  'copy --watch --dry-run',
  'sync --delete-after --track-renames',
  'sync --order-by= --checkpoint',
  'delete --fix-case --review',
])('%s is not refused', (words) => {
  expect(refusal(words)).toBeUndefined();
});

test('what the environment sets for other commands does not stop a worker, unless its runs would lack it', () => {
  expect(refusal('worker', { SYNCER_CHECKSUM: 'true' })).toBeUndefined();
  expect(refusal('worker', { SYNCER_TRACK_RENAMES: 'true' })).toContain('--track-renames');
  expect(refusal('copy', { SYNCER_CHECKPOINT: 'true', SYNCER_SUFFIX: 'x' })).toContain('--suffix');
});

test('what holds for directories is refused when the source is known to be one', () => {
  const ofTree = (verb: string, words: string) => () =>
    refuseExcluded({ name: verb }, parse(words), 'tree');
  const blind = 'copy --no-check-dest --immutable';
  expect(refusal(blind)).toBeUndefined();
  expect(ofTree('copy', blind)).toThrow("can't use --no-check-dest with --immutable: ");
  expect(ofTree('sync', blind)).toThrow('with sync: use copy instead');
  const renames = 'sync --delete-before --track-renames';
  expect(ofTree('copy', renames)).not.toThrow();
  expect(ofTree('sync', renames)).toThrow('--delete-before with --track-renames');
});
