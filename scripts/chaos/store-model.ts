import { TRASH } from './budgets.ts';
import type { Case } from './case.ts';
import { contentName, contentOf } from './content.ts';
import { FILTER_FLAGS, filterOf } from './filter-model.ts';
import { CaseFlags } from './flags.ts';
import { TRAITS, windowOf } from './traits.ts';
import {
  dirsAbove,
  type FoundFile,
  isBelow,
  NOTHING,
  type Tree,
  timeOf,
  type World,
} from './tree.ts';
import {
  kept,
  keptFiles,
  nothingChanges,
  type Prediction,
  unchanged,
  type WantedFile,
} from './wanted.ts';

/** The id of contents that come on standard input. */
const INPUT_ID = 200;

/** What commands that change one place are to do; it is `b`. */
export function predictStore(trial: Case, world: World): Prediction {
  const flags = new CaseFlags(trial.flags);
  const { b } = world;
  const name = trial.name ?? '';
  const isOdd = !TRAITS[trial.to].dirs && dirsAbove(name).some((dir) => b?.files.has(dir));
  // Where there are no directories a file can be above the file; what that is then is not settled.
  if (isOdd) return { exit: 'any', settles: false, isOpen: true };
  switch (trial.command) {
    case 'delete':
      if (b === undefined) return nothingChanges(world, 3);
      return predictDelete(trial, flags, b, filterOf(flags, b));
    case 'trash empty': {
      if (b === undefined) return nothingChanges(world, 'any');
      const deleted = predictDelete(trial, flags, b, (path) => path.startsWith(TRASH));
      const isEmpty = ![...b.files.keys()].some((path) => path.startsWith(TRASH));
      const exit = isEmpty ? 'any' : deleted.exit;
      return { ...deleted, exit, ...(deleted.b && { b: { ...deleted.b, dirs: undefined } }) };
    }
    case 'versions prune':
      return nothingChanges(world, 'any');
    case 'purge':
      if (b === undefined) return nothingChanges(world, 3);
      return { exit: 0, settles: false, b: { ...unchanged(NOTHING), window: 0n } };
    case 'rmdir':
      return predictRmdir(trial, world);
    case 'rmdirs':
      if (b === undefined) return nothingChanges(world, 'any');
      return changed(trial, b, (_, dirs) => dirs.clear());
    case 'mkdir': {
      const made = [name, ...dirsAbove(name)];
      if (made.some((path) => b?.files.has(path))) return nothingChanges(world, 'any');
      return changed(trial, b ?? NOTHING, (_, dirs) => {
        for (const dir of made) dirs.add(dir);
      });
    }
    case 'cleanup':
      return nothingChanges(world, b === undefined ? 'any' : 0);
    case 'dedupe':
      return b === undefined ? nothingChanges(world, 'any') : predictDedupe(trial, flags, b);
    case 'deletefile':
      if (!b?.files.has(name)) return nothingChanges(world, 'fail');
      return changed(trial, b, (files) => files.delete(name));
    case 'rcat':
      if (isInTheWay(trial, b, name)) return nothingChanges(world, 'fail');
      return changed(trial, b ?? NOTHING, (files) =>
        files.set(name, { contents: [contentName(trial.size ?? 0, INPUT_ID)] }),
      );
    default:
      return predictTouch(trial, flags, world);
  }
}

/** What a command reads from standard input. */
export function inputOf(trial: Case): Buffer | undefined {
  return trial.command === 'rcat' ? contentOf(trial.size ?? 0, INPUT_ID) : undefined;
}

function changed(
  trial: Case,
  tree: Tree,
  change: (files: Map<string, WantedFile>, dirs: Set<string>) => void,
): Prediction {
  const files = keptFiles(tree);
  const must = new Set(tree.dirs);
  change(files, must);
  for (const path of files.keys()) for (const dir of dirsAbove(path)) must.add(dir);
  const dirs = TRAITS[trial.to].dirs ? { must, may: must } : undefined;
  return { exit: 0, settles: false, b: { files, dirs, window: windowOf(trial.to) } };
}

function predictDelete(
  trial: Case,
  flags: CaseFlags,
  tree: Tree,
  isMeant: (path: string, file: FoundFile) => boolean,
): Prediction {
  const going = [...tree.files].filter(([path, file]) => isMeant(path, file));
  const limit = flags.number('max-delete') ?? -1;
  const limited = limit >= 0 && going.length > limit;
  const { b } = changed(trial, tree, (files) => {
    for (const [path, file] of going) {
      if (limited) files.set(path, { ...kept(file), optional: true });
      else files.delete(path);
    }
  });
  if (b === undefined) return { exit: 'any', settles: false, isOpen: true };
  const { must } = b.dirs ?? { must: new Set<string>() };
  const staying = new Set([...b.files.keys()].flatMap(dirsAbove));
  const isFiltered = flags.has(...FILTER_FLAGS);
  const left = flags.has('rmdirs')
    ? { must: limited ? new Set<string>() : staying, may: isFiltered || limited ? must : staying }
    : b.dirs;
  return {
    // A directory that holds what the filter keeps is one that cannot be removed, as in rclone.
    exit: limited ? 7 : isFiltered && flags.has('rmdirs') ? 'any' : 0,
    settles: false,
    b: {
      ...b,
      dirs: b.dirs && left,
      ...(limited ? { optionalCount: going.length - limit } : {}),
    },
  };
}

/** Of files with one content one is left: the newest, or the oldest. */
function predictDedupe(trial: Case, flags: CaseFlags, tree: Tree): Prediction {
  const newest = flags.text('dedupe-mode') === 'newest';
  return changed(trial, tree, (files) => {
    const groups = Map.groupBy(tree.files, ([, { content }]) => content);
    for (const group of groups.values()) {
      if (group.length < 2) continue;
      const times = group.map(([, { time }]) => time).sort((one, other) => (one < other ? -1 : 1));
      const time = newest ? times.at(-1) : times[0];
      const best = group.filter(([, file]) => file.time === time);
      for (const [path, file] of group) {
        if (file.time !== time) files.delete(path);
        else if (best.length > 1) files.set(path, { ...kept(file), optional: true });
      }
    }
  });
}

function predictRmdir(trial: Case, world: World): Prediction {
  const { b } = world;
  if (!TRAITS[trial.to].dirs) return nothingChanges(world, 'any');
  if (b === undefined) return nothingChanges(world, 3);
  const isEmpty = b.files.size + b.dirs.size === 0;
  return { ...nothingChanges(world, isEmpty ? 0 : 'fail'), settles: false };
}

function isInTheWay(trial: Case, tree: Tree | undefined, path: string): boolean {
  if (tree === undefined || !TRAITS[trial.to].dirs) return false;
  return tree.dirs.has(path) || dirsAbove(path).some((dir) => tree.files.has(dir));
}

function predictTouch(trial: Case, flags: CaseFlags, world: World): Prediction {
  const { b = NOTHING } = world;
  const name = trial.name ?? '';
  const [date, fraction = '0'] = (flags.text('timestamp') ?? '').split('.');
  const time = timeOf(`${Date.parse(`${date}Z`) / 1000}.${fraction}`);
  if (b.dirs.has(name) || isInTheWay(trial, b, name))
    return { exit: 'any', settles: false, isOpen: true };
  if ([...b.files.keys()].some((path) => isBelow(path, name)))
    return { exit: 'any', settles: false, isOpen: true };
  const old = b.files.get(name);
  if (old === undefined && flags.has('no-create')) return nothingChanges(world, 'any');
  return changed(trial, b, (files) =>
    files.set(name, { contents: [old?.content ?? '0'], times: [time] }),
  );
}
