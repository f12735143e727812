import { basename } from 'node:path/posix';
import type { Case, PlaceKind } from './case.ts';
import { pairAction } from './compare-model.ts';
import { CaseFlags } from './flags.ts';
import { TRAITS, windowOf } from './traits.ts';
import { dirsAbove, NOTHING, type Tree, type World } from './tree.ts';
import { kept, keptFiles, nothingChanges, type Prediction, type WantedTree } from './wanted.ts';

/** What `copyto` and `moveto` of one file are to do: `path` of `a` becomes `name` of `b`. */
export function predictSingle(trial: Case, world: World): Prediction {
  const flags = new CaseFlags(trial.flags);
  const { a, b = NOTHING, c = NOTHING } = world;
  const { path = '', name = '', command } = trial;
  const source = a?.files.get(path);
  if (a === undefined || source === undefined) return { exit: 'any', settles: false, isOpen: true };
  const { dirs } = TRAITS[trial.to];
  // Where there are no directories a file can be above the file; what that is then is not settled.
  const isOdd = !dirs && dirsAbove(name).some((dir) => b.files.has(dir));
  const isBlocked = flags.has('backup-dir') && c.dirs.has(basename(name));
  if (
    isOdd ||
    isBlocked ||
    (trial.from === 's3' && dirsAbove(path).some((dir) => a.files.has(dir)))
  ) {
    return { exit: 'any', settles: false, isOpen: true };
  }
  const old = b.files.get(name);
  const action = old === undefined ? 'new' : pairAction(trial, flags, source, old);
  const isObstructed = b.dirs.has(name) || dirsAbove(name).some((dir) => b.files.has(dir));
  if (old === undefined && flags.has('existing')) return nothingChanges(world, 0);
  if (dirs && isObstructed) return nothingChanges(world, 'fail');
  if (action === 'refuse') return nothingChanges(world, 'fail');
  const [left, there, backup] = [treeOf(trial.from, a), treeOf(trial.to, b), treeOf(trial.to, c)];
  if (action === 'new' || action === 'transfer') {
    if (old !== undefined && flags.has('backup-dir')) backup.files.set(basename(name), kept(old));
    there.files.set(name, kept(source));
    for (const dir of dirsAbove(name)) there.dirs?.must.add(dir);
  } else if (action === 'set-time') {
    there.files.set(name, { ...kept(source), contents: [old?.content ?? ''] });
  }
  if (command === 'moveto' && !(action !== 'new' && flags.has('ignore-existing'))) {
    left.files.delete(path);
  }
  const settles = command === 'copyto' && !flags.has('ignore-times');
  return { exit: 0, settles, a: left, b: there, c: { ...backup, dirs: undefined } };
}

function treeOf(kind: PlaceKind, tree: Tree): WantedTree {
  const must = new Set(tree.dirs);
  const dirs = TRAITS[kind].dirs ? { must, may: must } : undefined;
  return { files: keptFiles(tree), dirs, window: windowOf(kind) };
}
