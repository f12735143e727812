import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';
import {
  argumentPlaces,
  comparedPaths,
  sampleArguments,
  withPaths,
  writeSampleFiles,
} from '../../cases/argument-places.ts';
import { hasRclone, runRclone } from '../../support/rclone.ts';
import { checkRecord } from '../../support/record.ts';

// test/cli/bad-input.test.ts compares ours with the same record.

let base: string;
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'exit-codes-'));
  await writeFile(join(base, 'rclone.conf'), '[rem]\ntype = local\n');
});
beforeEach(() => writeSampleFiles(join(base, 'work')));
afterAll(() => rm(base, { recursive: true }));

describe.skipIf(!hasRclone)('the exit codes of rclone are those of the record', () => {
  const cases = withPaths.flatMap((usage) =>
    comparedPaths(usage).map(([place, what]) => ({ usage, place, what })),
  );
  const nameOf = ({ usage, place, what }: (typeof cases)[number]) =>
    `${usage.name} ${place} ${what}`;
  const check = checkRecord('exit-codes', cases.map(nameOf));
  test.each(cases)('$usage.name, $place is "$what"', async (one) => {
    const cwd = join(base, 'work');
    const words = sampleArguments(one.usage, cwd).with(
      argumentPlaces(one.usage).indexOf(one.place),
      join(cwd, one.what),
    );
    const config = join(base, 'rclone.conf');
    const { code } = await runRclone([...one.usage.name.split(' '), ...words], { cwd, config });
    check(nameOf(one), code);
  });
});
