import { watch } from 'node:fs';
import { join } from 'node:path';
import { Archive } from '../../test/servers/archive.ts';
import { S3_LIES } from '../../test/servers/lies/s3-lies.ts';
import { RCLONE_LIES } from '../../test/support/rclone-lies.ts';
import { argumentsOf } from './arguments.ts';
import type { Case } from './case.ts';
import { endFaults, injectFault } from './faults.ts';
import { foldingFaults, foldPlace } from './folding.ts';
import { linesPrinted } from './listing-model.ts';
import { canRun, mountedFaults, mountInside } from './mounted.ts';
import { clear, linkFiles, type Places, plant, read, secretsIn, specOf } from './places.ts';
import { predict } from './predict.ts';
import { BEARABLE } from './refusals.ts';
import { type EndedRun, runHere, runProcess } from './run-program.ts';
import { damages, withoutLeft } from './safe.ts';
import { inputOf } from './store-model.ts';
import { isBelow, NOTHING, SIDES, type SideName, type World } from './tree.ts';
import { writeVersions } from './versions.ts';
import { differences, type Prediction } from './wanted.ts';

/** A trial that went otherwise than it must. */
export interface Failure {
  readonly trial: Case;
  /** What is wrong, one line each. */
  readonly faults: readonly string[];
  /** The command lines and what the program wrote. */
  readonly output: string;
}

let number = 0;

/** Runs a case; gives what is wrong. */
export async function runCase(places: Places, trial: Case): Promise<Failure | undefined> {
  const base = `t${process.pid}-${number++}`;
  const kinds = { a: trial.from, b: trial.to, c: trial.to };
  const nameOf = (side: SideName) => `${base}${side}${trial.within ? '/in' : ''}`;
  const look = (): World => ({
    a: read(places, kinds.a, nameOf('a')),
    b: read(places, kinds.b, nameOf('b')),
    c: read(places, kinds.c, nameOf('c')),
  });
  if (!canRun(trial)) return undefined;
  let unfold = () => {};
  let unmount = () => {};
  try {
    for (const side of SIDES) {
      const plan = trial[side];
      if (plan !== undefined) plant(places, kinds[side], nameOf(side), plan);
    }
    const specs = {
      a: specOf(places, kinds.a, nameOf('a')),
      b: specOf(places, kinds.b, nameOf('b')),
      c: specOf(places, kinds.c, nameOf('c')),
    };
    if (trial.archived !== undefined) {
      const archive = new Archive();
      archive.add(...trial.archived.map((path) => `${nameOf('b')}/${path}`));
      places.s3.setFaults((request) => archive.fault(request));
    }
    linkFiles(places, nameOf, trial);
    unfold = foldPlace(places, nameOf('b'), trial);
    if (trial.mounted !== undefined)
      unmount = mountInside(places, nameOf(trial.mounted.side), trial);
    const versions = await writeVersions(places, specs.b, trial);
    const argv = argumentsOf(trial, (side) => specs[side]);
    const input = inputOf(trial);
    const runs: string[] = [];
    const run = async (disturbed = false) => {
      const ended = disturbed
        ? await runDisturbed(places, trial, argv, input, nameOf('b'))
        : await runHere(places, argv, input);
      const { code = 'killed', stdout, stderr } = ended;
      runs.push(
        `$ syncer ${argv.join(' ')}\nexit ${code}\n${stdout.toString().slice(0, 2000)}${stderr}`,
      );
      return ended;
    };
    const change = () => {
      const { later } = trial;
      if (later === undefined) return;
      const { side, plan } = later;
      const files = look()[side]?.files ?? new Map();
      // Keys of which one is a directory for the other have files of other names.
      const isPlain = (path: string) =>
        ![...files.keys()].some((other) => isBelow(path, other) || isBelow(other, path));
      const there = Object.keys(plan).every((path) => files.has(path) && isPlain(path));
      if (there) plant(places, kinds[side], nameOf(side), plan);
    };
    const faults = await follow(trial, look, run, change);
    faults.push(...(await versions.faults()));
    faults.push(...secretsIn(places, runs.join('\n')));
    return faults.length === 0 ? undefined : { trial, faults, output: runs.join('\n') };
  } finally {
    if (trial.archived !== undefined) endFaults(places);
    unfold();
    unmount();
    for (const side of SIDES) clear(places, kinds[side], base + side);
  }
}

/** The runs of a trial, and what is wrong after each of them. */
async function follow(
  trial: Case,
  look: () => World,
  run: (disturbed?: boolean) => Promise<EndedRun>,
  change: () => void,
): Promise<string[]> {
  let before = look();
  let first = before;
  if (trial.folds !== undefined) {
    const { code } = await run();
    return foldingFaults(before, look(), code);
  }
  if (trial.mounted !== undefined) {
    const { code } = await run();
    return mountedFaults(trial, code, before, look());
  }
  if (trial.fault !== undefined) {
    const disturbed = await run(true);
    const predicted = predict(trial, before);
    const after = look();
    if (disturbed.code === 0 || isBearable(trial)) return judge(trial, predicted, disturbed, after);
    const killed = disturbed.code === undefined;
    const seen = withoutLeft(after, killed);
    const faults = damages(trial, before, predicted, seen, isSpoilt(trial));
    if (faults.length > 0) return faults.map((fault) => `after the disturbed run: ${fault}`);
    first = before;
    before = seen;
  }
  const predicted = repaired(trial, first, before, predict(trial, before));
  const ended = await run();
  const faults = judge(trial, predicted, ended, look());
  if (faults.length > 0 || !predicted.settles || ended.code !== 0) return faults;
  const again = await run();
  faults.push(...judge(trial, { ...predicted, exit: 0 }, again, look()));
  if (/: (Copied|Deleted|Moved|Updated modification time)/.test(again.stderr)) {
    faults.push('a second run had something to do');
  }
  if (faults.length > 0 || trial.later === undefined) return faults;
  change();
  const isKilled = trial.fault !== undefined && 'kill' in trial.fault.fault;
  const changed = predict(trial, withoutLeft(look(), isKilled));
  faults.push(...judge(trial, changed, await run(), look()));
  return faults;
}

/** Whether a store refuses in a way that a run must get round. */
function isBearable({ fault }: Case): boolean {
  return fault !== undefined && 'lie' in fault.fault && BEARABLE.includes(fault.fault.lie);
}

/**
 * Whether a store lied about what it did, or took wrong bytes in place of the old ones: what it holds after a run that
 * failed is open.
 */
function isSpoilt({ fault, to }: Case): boolean {
  if (fault === undefined) return false;
  if ('lie' in fault.fault && fault.fault.lie in RCLONE_LIES) return to === 'far';
  if ('lie' in fault.fault && to === 'lied') return S3_LIES[fault.fault.lie]?.doesNothing !== true;
  return 'lie' in fault.fault || (to === 'drive' && 'corruptUpload' in fault.fault);
}

/** What a store has got wrong is put right by the next run, also where size and time say that nothing is to be done. */
function repaired(trial: Case, { b: old }: World, { a, b }: World, predicted: Prediction) {
  if (!isSpoilt(trial) || predicted.b === undefined) return predicted;
  const files = new Map(
    [...predicted.b.files].map(([path, wanted]) => {
      const source = a?.files.get(path)?.content;
      const there = b?.files.get(path)?.content;
      if (source === undefined || there === undefined) return [path, wanted];
      const isOld = old?.files.get(path)?.content === there;
      return [path, { ...wanted, contents: [source, ...(isOld ? wanted.contents : [])] }];
    }),
  );
  return { ...predicted, b: { ...predicted.b, files } };
}

function judge(trial: Case, predicted: Prediction, ended: EndedRun, found: World): string[] {
  const faults: string[] = [];
  const { exit, output } = predicted;
  const { code } = ended;
  const killed = trial.fault !== undefined && 'kill' in trial.fault.fault;
  const after = trial.fault === undefined ? found : withoutLeft(found, killed);
  if (exit === 'fail' ? code === 0 : exit !== 'any' && code !== exit) {
    faults.push(`exit ${code}, not ${exit === 'fail' ? 'a failure' : exit}`);
  }
  for (const side of SIDES) {
    const wanted = predicted[side];
    // A directory is not empty where something was left behind.
    const dirs = killed && side === 'a' ? { dirs: undefined } : {};
    if (wanted !== undefined) {
      faults.push(...differences(side, after[side] ?? NOTHING, { ...wanted, ...dirs }));
    }
  }
  if (output === undefined || code !== exit) return faults;
  const printed = linesPrinted(trial, ended.stdout);
  for (const line of output) if (!printed.includes(line)) faults.push(`not printed: ${line}`);
  for (const line of printed) if (!output.includes(line)) faults.push(`printed: ${line}`);
  return faults;
}

async function runDisturbed(
  places: Places,
  trial: Case,
  argv: readonly string[],
  input: Buffer | undefined,
  name: string,
): Promise<EndedRun> {
  const { fault } = trial;
  try {
    if (fault === undefined || !('kill' in fault.fault)) {
      injectFault(places, trial, () => {});
      return await runHere(places, argv, input);
    }
    return await runProcess(places, argv, (kill) => {
      injectFault(places, trial, kill);
      if (trial.from === 'local' && trial.to === 'local') killLater(places, name, fault.skip, kill);
    });
  } finally {
    endFaults(places);
  }
}

/** Between two folders there is no server that sees what a run does: the first change is waited for. */
function killLater({ folder }: Places, name: string, afterMs: number, kill: () => void): void {
  const watcher = watch(join(folder, 'local'), { recursive: true }, (_event, path) => {
    if (path?.startsWith(name) !== true) return;
    watcher.close();
    setTimeout(kill, afterMs);
  });
  setTimeout(() => watcher.close(), 10_000).unref();
}
