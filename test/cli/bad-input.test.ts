import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { COMMANDS } from '../../commands/index.ts';
import {
  allUsages,
  argumentCounts,
  type CommandUsage,
  usageLine,
} from '../../src/shell/command-line/command.ts';
import {
  argumentPlaces,
  comparedPaths,
  isPath,
  sampleArguments,
  withPaths,
  writeSampleFiles,
} from '../cases/argument-places.ts';
import { someOf } from '../support/in-part.ts';
import { readRecord } from '../support/record.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { makeSyncerWorld } from '../support/run-syncer.ts';

const world = await makeSyncerWorld();
afterAll(() => world.remove());

const at = (...names: string[]) => join(world.dir, ...names);
const env = {
  HOME: at('home'),
  SYNCER_CONFIG: world.config,
  TZ: 'UTC',
  PATH: process.env['PATH'],
  no_proxy: '*',
};

/** Every command of the table. */
const commands = allUsages(COMMANDS).filter(({ hidden }) => hidden !== true);
const record = readRecord('exit-codes');

beforeEach(async () => {
  await writeSampleFiles(world.dir);
  await writeFile(world.config, '[rem]\ntype = local\n');
});

/** A mount owns its process: it sees to signals and to its end itself. */
async function run({ name }: CommandUsage, words: readonly string[]) {
  const all = [...name.split(' '), ...words];
  if (name !== 'mount') return runInProcess(all, env);
  const { code, stdout, stderr } = await world.run(all, { env: { HOME: at('home') } });
  return { code, stdout: stdout.toString(), stderr };
}

/** Fails unless the run did nothing, ended with this code and said one line that `text` is in. */
async function expectOneLine(
  usage: CommandUsage,
  words: readonly string[],
  text: string,
  exit = 1,
) {
  const { code, stdout, stderr } = await run(usage, words);
  expect({ code, stdout }).toEqual({ code: exit, stdout: '' });
  expect(stderr).toMatch(/^[^\n]*\n$/);
  expect(stderr).toContain(text);
}

test.each(commands.filter((usage) => argumentCounts(usage)[0] > 0))(
  '$name without arguments',
  async (usage) => {
    await expectOneLine(usage, [], usageLine(usage), 2);
  },
);

test.each(commands.filter((usage) => argumentCounts(usage)[1] < 100))(
  '$name with too many',
  async (usage) => {
    const words = Array.from({ length: argumentCounts(usage)[1] + 1 }, () => 'x');
    const isGroup = COMMANDS.some(
      (one) => one.name === usage.name && one.subcommands !== undefined,
    );
    const said = isGroup ? `unknown command: ${usage.name} x` : usageLine(usage);
    await expectOneLine(usage, words, said, 2);
  },
);

describe.each(withPaths)('$name', (usage) => {
  const places = argumentPlaces(usage).filter(isPath);
  const samples = sampleArguments(usage, world.dir);
  const withPath = (place: string, path: string) =>
    samples.with(argumentPlaces(usage).indexOf(place), path);

  test.each(places)('a remote that nobody knows in the place of %s', async (place) => {
    const exit = usage.name === 'config reconnect' ? 2 : 1;
    await expectOneLine(usage, withPath(place, 'nosuch:x'), 'no remote named "nosuch"', exit);
  });

  test.each(someOf(places, 1))(
    'a kind of storage that nobody knows in the place of %s',
    async (place) => {
      await expectOneLine(usage, withPath(place, ':nosuch:x'), 'unknown backend "nosuch"');
    },
  );

  test.each(someOf(places, 1))('no path at all in the place of %s', async (place) => {
    await expectOneLine(usage, withPath(place, ''), 'a path is empty');
  });

  const faults = [
    ['--max-size', '10Q', 'not a size: "10Q"'],
    ['--contimeout', '5 minutes', 'not a duration: "5 minutes"'],
    ['--transfers', 'many', 'not a whole number: "many"'],
    ['--log-level', 'loud', '"loud" is not one of'],
    ['--no-such-flag', 'x', 'unknown flag: --no-such-flag'],
  ] as const;
  test.each(someOf(faults, 2))('%s %s', async (flag, value, said) => {
    await expectOneLine(usage, [...samples, flag, value], said, 2);
  });

  test.each(comparedPaths(usage))('%s is "%s": the exit code of rclone', async (place, what) => {
    const ours = await run(usage, withPath(place, at(what)));
    expect(ours.code).toBe(record[`${usage.name} ${place} ${what}`]);
    expect(ours.stderr).not.toMatch(/^ +at /m);
    if (ours.code !== 0)
      expect(ours.stderr).toMatch(
        / ERROR : (Failed to \w+(?: with \d+ errors)?: |ncdu: )[^\n]*\n$/,
      );
  });
});

test('every compared path has an exit code, and there are no others', () => {
  const names = withPaths.flatMap((usage) =>
    comparedPaths(usage).map(([place, what]) => `${usage.name} ${place} ${what}`),
  );
  expect(Object.keys(record).sort()).toEqual(names.sort());
});
