import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInProcess } from '../../test/support/run-in-process.ts';
import type { Case } from './case.ts';
import { clear, configOf, type Places, plant, read, S3_SECRET, specOf } from './places.ts';
import { predictSync } from './sync-model.ts';
import { NOTHING, SIDES, type SideName, type World } from './tree.ts';
import { differences, nothingChanges, type Prediction } from './wanted.ts';

/** A trial that went otherwise than it must. */
export interface Failure {
  readonly trial: Case;
  /** What is wrong, one line each. */
  readonly faults: readonly string[];
  readonly output: string;
}

let number = 0;

/** Runs a case; gives what is wrong. */
export async function runCase(places: Places, trial: Case): Promise<Failure | undefined> {
  const base = `t${process.pid}-${number++}`;
  const kinds = { a: trial.from, b: trial.to, c: trial.to };
  const nameOf = (side: SideName) => `${base}${side}${trial.within ? '/in' : ''}`;
  const look = () =>
    Object.fromEntries(
      SIDES.map((side) => [side, read(places, kinds[side], nameOf(side))]),
    ) as unknown as World;
  try {
    for (const side of SIDES) {
      const plan = trial[side];
      if (plan !== undefined) plant(places, kinds[side], nameOf(side), plan);
    }
    const before = look();
    const words = trial.flags.map((flag) =>
      flag.replace('{c}', specOf(places, kinds.c, nameOf('c'))),
    );
    const specs = (['a', 'b'] as const).map((side) => specOf(places, kinds[side], nameOf(side)));
    const argv = [trial.command, ...specs, ...words, '-v', '--retries=1', '--low-level-retries=2'];
    const run = () => runInProcess(argv, environment(places));
    const ended = await run();
    const predicted = trial.flags.includes('--dry-run')
      ? nothingChanges(before, 'any')
      : predictSync(trial, before);
    const after = look();
    const faults = judge(predicted, ended.code, after);
    let output = `$ syncer ${argv.join(' ')}\nexit ${ended.code}\n${ended.stdout}${ended.stderr}`;
    if (faults.length === 0 && predicted.settles && ended.code === 0) {
      const again = await run();
      output += `again: exit ${again.code}\n${again.stderr}`;
      faults.push(...judge({ ...predicted, exit: 0 }, again.code, look()));
      if (/: (Copied|Deleted|Moved|Updated modification time)/.test(again.stderr)) {
        faults.push('a second run had something to do');
      }
    }
    if (output.includes(S3_SECRET)) faults.push('a secret was shown');
    return faults.length === 0 ? undefined : { trial, faults, output };
  } finally {
    for (const side of SIDES) clear(places, kinds[side], base + side);
  }
}

function judge(predicted: Prediction, code: number, after: World): string[] {
  const faults: string[] = [];
  const { exit } = predicted;
  if (exit === 'fail' ? code === 0 : exit !== 'any' && code !== exit) {
    faults.push(`exit ${code}, not ${exit === 'fail' ? 'a failure' : exit}`);
  }
  for (const side of SIDES) {
    const wanted = predicted[side];
    if (wanted !== undefined) faults.push(...differences(side, after[side] ?? NOTHING, wanted));
  }
  return faults;
}

let environmentMade: NodeJS.ProcessEnv | undefined;

function environment(places: Places): NodeJS.ProcessEnv {
  if (environmentMade !== undefined) return environmentMade;
  const home = join(places.folder, 'home');
  mkdirSync(home, { recursive: true });
  const config = join(home, 'chaos.conf');
  writeFileSync(config, configOf(places), { mode: 0o600 });
  environmentMade = {
    HOME: home,
    SYNCER_CONFIG: config,
    PATH: process.env['PATH'] ?? '',
    TZ: 'UTC',
  };
  return environmentMade;
}
