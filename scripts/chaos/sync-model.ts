import type { Case } from './case.ts';
import { pairAction } from './compare-model.ts';
import { FILTER_FLAGS, filterOf } from './filter-model.ts';
import { CaseFlags } from './flags.ts';
import { TRAITS, windowOf } from './traits.ts';
import { dirsAbove, type FoundFile, isBelow, NOTHING, type World } from './tree.ts';
import {
  kept,
  keptFiles,
  nothingChanges,
  type Prediction,
  unchanged,
  type WantedFile,
} from './wanted.ts';

/** What `copy`, `sync` or `move` of one tree onto another is to do; written from rclone's documentation. */
export function predictSync(trial: Case, world: World): Prediction {
  const flags = new CaseFlags(trial.flags);
  // A reference is compared without what only counts for the destination.
  const plainFlags = new CaseFlags(
    trial.flags.filter((flag) => /checksum|size-only|modify-window/.test(flag)),
  );
  const verb = trial.command;
  const { a, b = NOTHING, c = NOTHING } = world;
  if (a === undefined) {
    return { ...nothingChanges(world, 'fail'), ...(world.b ? {} : { b: unchanged(NOTHING) }) };
  }
  if (flags.has('copy-dest') && /Copy/.test(flags.text('disable') ?? '')) {
    return nothingChanges(world, 7);
  }
  const keepsA = filterOf(flags, a);
  const excludes = flags.has('delete-excluded') && verb === 'sync';
  const keepsB = excludes ? () => true : filterOf(flags, b);
  const isFiltered = flags.has(...FILTER_FLAGS);
  const source = new Map([...a.files].filter(([path, file]) => keepsA(path, file)));
  const dest = new Map([...b.files].filter(([path, file]) => keepsB(path, file)));
  const [left, there, backup] = [keptFiles(a), keptFiles(b), keptFiles(c)];
  let failed = false;
  let uncertain = false;
  let waitsForExtra = false;

  const extra =
    verb === 'sync' ? [...dest.keys()].filter((path) => !source.has(path)) : ([] as string[]);
  const limit = flags.number('max-delete') ?? -1;
  const limited = limit >= 0 && extra.length > limit;
  const staying = new Set([...b.files.keys()].filter((path) => !extra.includes(path)));
  const looksUp = flags.has('compare-dest', 'copy-dest');
  for (const [path, file] of source) {
    const old = dest.get(path);
    let referred: boolean | undefined = false;
    const action = old === undefined ? 'new' : pairAction(trial, flags, file, old);
    if (action === 'refuse') failed = true;
    if (action === 'set-time') there.set(path, { ...kept(file), contents: [old?.content ?? ''] });
    if (action === 'new' && flags.has('existing')) continue;
    if (action === 'new' || action === 'transfer') {
      const reference = looksUp ? c.files.get(path) : undefined;
      referred = reference && pairAction(trial, plainFlags, file, reference) !== 'transfer';
      if (referred && flags.has('compare-dest')) {
        // A tree that goes to a place which is not there may be renamed as a whole.
        if (old !== undefined || (verb === 'move' && world.b === undefined)) uncertain = true;
        if (verb === 'move') left.set(path, { ...kept(file), optional: true });
        continue;
      }
      // What stands in the way may be what is deleted before the limit, and stays after another file's error.
      if (b.dirs.has(path) || dirsAbove(path).some((dir) => b.files.has(dir))) {
        if (limited) uncertain = true;
        waitsForExtra = true;
      }
      if (TRAITS[trial.to].dirs && isObstructed(path)) {
        failed = true;
        continue;
      }
      if (old !== undefined) backUp(path, old);
      const copied = referred && flags.has('copy-dest') ? reference : undefined;
      there.set(path, copied ? eitherOf(file, copied) : renamed(path, file));
    }
    if (verb !== 'move' || action === 'refuse' || flags.has('ignore-existing')) {
      if (verb === 'move' && action === 'new') takeAway(path, file, referred);
      continue;
    }
    takeAway(path, file, referred);
  }

  if (flags.has('create-empty-src-dirs') && TRAITS[trial.to].dirs) {
    // Directories of a store are those that its files name, also files that a filter excludes.
    const dirs = new Set([...a.dirs, ...[...a.files.keys()].flatMap(dirsAbove)]);
    const blocked = [...dirs].filter((dir) => [dir, ...dirsAbove(dir)].some(isInTheWay));
    if (blocked.length > 0 && isFiltered) uncertain = true;
    else if (blocked.length > 0) failed = true;
  }

  if (failed && waitsForExtra) uncertain = true;

  const during = flags.has('delete-before', 'delete-during');
  const deletes = !failed || flags.has('ignore-errors') || flags.has('delete-before');
  for (const path of extra) {
    const old = b.files.get(path);
    if (old === undefined) continue;
    if (limited || (failed && during)) {
      there.set(path, { ...kept(old), optional: true });
      // How many are renamed before, and into which backup the others went, is not known.
      if (flags.has('backup-dir', 'suffix', 'track-renames')) uncertain = true;
    } else if (deletes) {
      there.delete(path);
      backUp(path, old);
    } else if (mayBeRenamed(old)) there.set(path, { ...kept(old), optional: true });
  }
  if (limited && deletes) failed = true;
  // The run stops at the limit, and other files of it may be done or not.
  if (limited && during) mayStayAsTheyWere();

  const optionalCount =
    limited && deletes && !during && !uncertain ? extra.length - limit : undefined;
  const dirs = dirsAfter(isFiltered || limited || failed);
  const renames = limited && flags.has('track-renames');
  const sure = limited && deletes ? 7 : failed ? 'fail' : uncertain ? 'any' : 0;
  const exit = renames ? 'any' : sure;
  const settles =
    exit === 0 &&
    !flags.has(
      'ignore-times',
      'suffix',
      'compare-dest',
      'copy-dest',
      'exclude-if-present',
      'track-renames',
    ) &&
    verb !== 'move';
  return {
    exit,
    settles,
    a: { files: left, dirs: dirsLeft(), window: windowOf(trial.from) },
    ...(uncertain
      ? { isOpen: true }
      : {
          b: {
            files: there,
            dirs,
            window: windowOf(trial.to),
            ...(optionalCount === undefined ? {} : { optionalCount }),
          },
          c: { files: backup, dirs: undefined, window: windowOf(trial.to) },
        }),
  };

  /** A file where the path has a directory, or a directory where the path is to be. */
  function isObstructed(path: string): boolean {
    const above = dirsAbove(path);
    if (verb !== 'sync') return b.dirs.has(path) || above.some((dir) => b.files.has(dir));
    if (above.some((dir) => staying.has(dir))) return true;
    const holds = [...staying].some((other) => isBelow(other, path));
    // With a suffix alone what is deleted stays in its directory, by another name.
    const keepsAll = flags.has('suffix') && !flags.has('backup-dir');
    // A directory that looks empty may be taken away, or not where a filter leaves it or its files out.
    if ((isFiltered || keepsAll) && b.dirs.has(path)) uncertain = true;
    return holds || (keepsAll && [...b.files.keys()].some((other) => isBelow(other, path)));
  }

  /** A file that stays where a directory is to be. */
  function isInTheWay(dir: string): boolean {
    return verb === 'sync' ? staying.has(dir) : b.files.has(dir);
  }

  function mayStayAsTheyWere(): void {
    for (const path of new Set([...there.keys(), ...b.files.keys()])) {
      const [after, old] = [there.get(path), b.files.get(path)];
      const contents = [...(after?.contents ?? []), ...(old === undefined ? [] : [old.content])];
      const isNew = old === undefined || after === undefined || after.optional === true;
      there.set(path, { contents, ...(isNew ? { optional: true } : {}) });
    }
  }

  /** Whether a file that was copied from elsewhere stays is rclone's own affair. */
  function takeAway(path: string, file: FoundFile, referred = false): void {
    if (referred) left.set(path, { ...kept(file), optional: true });
    else left.delete(path);
  }

  function backUp(path: string, old: FoundFile): void {
    // A file that is renamed needs none.
    const mayMove = flags.has('track-renames') && extra.includes(path);
    const optional = mayMove ? { optional: true } : {};
    const suffix = flags.text('suffix') ?? '';
    const name = flags.has('suffix-keep-extension')
      ? path.replace(/(\.[^./]*)?$/, `${suffix}$1`)
      : path + suffix;
    // A backup of an earlier run that is extra: rclone renames it once more, after it was overwritten.
    if (!flags.has('backup-dir') && extra.includes(name)) uncertain = true;
    // The backup of an earlier run stays if the file is renamed.
    const earlier = mayMove ? backup.get(name) : undefined;
    const wanted: WantedFile =
      earlier === undefined
        ? { ...kept(old), ...optional }
        : { contents: [old.content, ...earlier.contents] };
    if (flags.has('backup-dir')) backup.set(name, wanted);
    else if (suffix !== '') there.set(name, { ...kept(old), ...optional });
  }

  /** Files are renamed also where errors keep others from being deleted, as in rclone. */
  function mayBeRenamed({ content }: FoundFile): boolean {
    if (!flags.has('track-renames')) return false;
    return [...source].some(([path, file]) => file.content === content && !dest.has(path));
  }

  /** `--track-renames` may keep the time of the file that was renamed. */
  function renamed(path: string, file: FoundFile): WantedFile {
    if (!flags.has('track-renames') || dest.has(path)) return kept(file);
    const others = extra.map((other) => b.files.get(other) ?? file);
    const same = others.filter(({ content }) => content === file.content);
    return { contents: [file.content], times: [file, ...same].map(({ time }) => time) };
  }

  function dirsAfter(isOpen: boolean) {
    if (!TRAITS[trial.to].dirs) return undefined;
    const must = new Set(
      [...there].flatMap(([path, { optional }]) => (optional ? [] : dirsAbove(path))),
    );
    const implied = new Set([...(a?.files.keys() ?? [])].flatMap(dirsAbove));
    const [ours, theirs] = [new Set([...implied, ...(a?.dirs ?? [])]), b.dirs];
    if (isOpen) return { must, may: new Set([...must, ...ours, ...theirs]) };
    const possible = [...there.keys()].flatMap(dirsAbove);
    possible.push(...[...theirs].filter((dir) => implied.has(dir)));
    const copied = flags.has('create-empty-src-dirs');
    if (copied) for (const dir of a?.dirs ?? []) must.add(dir);
    for (const dir of theirs) if (verb !== 'sync' || a?.dirs.has(dir)) must.add(dir);
    // A tree that goes to a place which is not there may be renamed as a whole.
    const isRename = verb === 'move' && world.b === undefined;
    return {
      must,
      may: new Set([...must, ...possible, ...(copied || isRename ? ours : [])]),
    };
  }

  function dirsLeft() {
    if (!TRAITS[trial.from].dirs) return undefined;
    const may = new Set(a?.dirs);
    if (verb !== 'move') return { must: may, may };
    const isOpen = isFiltered || failed || flags.has('compare-dest', 'copy-dest');
    if (isOpen || world.b === undefined) return { must: new Set<string>(), may };
    if (!flags.has('delete-empty-src-dirs')) return { must: may, may };
    const must = new Set([...left.keys()].flatMap(dirsAbove));
    return { must, may: must };
  }
}

function eitherOf(one: FoundFile, other: FoundFile): WantedFile {
  return { contents: [one.content, other.content], times: [one.time, other.time] };
}
