import type { Case } from './case.ts';
import { dirsAbove, NOTHING, type Tree, type World } from './tree.ts';
import type { Prediction, WantedTree } from './wanted.ts';

/** Names of files that are being written on a disk, and of what is left of them on a drive. */
const TEMPORARY =
  /\.syncer-(partial-|[\da-f]{12}\.)|(^|\/)syncer-[\da-f]{12}\.copy$|(^|\/)syncer-(partial|place)-[^/]*$/;

/**
 * What a run cannot remove where requests fail, which it says: what it puts at a place to see whether it is another one, and
 * what a file of a drive held before.
 */
const MARK = /(^|[./])syncer-(partial|place)-[^/]*$|\.syncer-[\da-f]{12}\.tmp$/;

/** The places without what a run left behind that was killed, or met faults. */
export function withoutLeft({ a, b, c }: World, killed: boolean): World {
  const left = killed ? TEMPORARY : MARK;
  return { a: without(a, left), b: without(b, left), c: without(c, left) };
}

function without(tree: Tree | undefined, left: RegExp): Tree | undefined {
  if (tree === undefined) return undefined;
  const files = new Map([...tree.files].filter(([path]) => !left.test(path)));
  for (const [path, file] of tree.files) {
    // What a file held that was just being replaced on a drive.
    const name = /^(.*)\.syncer-[\da-f]{12}\.tmp$/.exec(path)?.[1];
    if (name !== undefined && !files.has(name)) files.set(name, file);
  }
  return { ...tree, files };
}

/**
 * What is lost, half done or done too early after a run that was disturbed; none of it may be. Files are as they were or
 * as they are to be.
 *
 * @param isSpoilt what `b` holds may be wrong: its store lied, or lost the old content as it took wrong bytes
 */
export function damages(
  trial: Case,
  before: World,
  predicted: Prediction,
  after: World,
  isSpoilt: boolean,
): string[] {
  const faults: string[] = [];
  const moves = trial.command.startsWith('move');
  const [a, b, c] = [after.a ?? NOTHING, after.b ?? NOTHING, after.c ?? NOTHING];
  const isAsWanted = (tree: Tree, wanted: WantedTree | undefined, path: string) =>
    wanted === undefined ||
    wanted.files.get(path)?.contents.includes(tree.files.get(path)?.content ?? '') === true;
  for (const [path, { content }] of before.a?.files ?? []) {
    if (a.files.get(path)?.content === content) continue;
    const wanted = predicted.a?.files.get(path);
    const mayGo = moves && (wanted === undefined || wanted.optional === true);
    const name = trial.path === path ? (trial.name ?? path) : path;
    const isThere = b.files.get(name)?.content === content || isAsWanted(b, predicted.b, name);
    if (!mayGo || !isThere) faults.push(`a: ${path} (${content}) is lost`);
  }
  for (const [side, tree] of [
    ['b', b],
    ['c', c],
  ] as const) {
    const wanted = predicted[side];
    if (wanted === undefined || (side === 'b' && isSpoilt)) continue;
    const old = before[side] ?? NOTHING;
    for (const [path, { content }] of tree.files) {
      if (old.files.get(path)?.content === content || isAsWanted(tree, wanted, path)) continue;
      // A second attempt keeps what the first one kept, as rclone does.
      const isKept = [...old.files.values()].some((file) => file.content === content);
      if (isKept && trial.flags.includes('--suffix=.bak') && /\.bak.*\.bak/.test(path)) continue;
      faults.push(`${side}: ${path} holds ${content} and should not`);
    }
    for (const [path, { content }] of old.files) {
      const stays = wanted.files.get(path);
      if (tree.files.has(path) || stays === undefined || stays.optional) continue;
      faults.push(`${side}: ${path} (${content}) is gone`);
    }
  }
  for (const [path, { contents }] of predicted.c?.files ?? []) {
    if (before.c?.files.has(path) || c.files.has(path)) continue;
    const isThere = [...b.files.values()].some(({ content }) => contents.includes(content));
    if (!isThere) faults.push(`c: ${path} (${contents}) is in no backup`);
  }
  if (!isSpoilt) faults.push(...deletedEarly(trial, before, predicted, b));
  return faults;
}

/** What a sync has deleted, although something was not copied. */
function deletedEarly(trial: Case, before: World, { b }: Prediction, after: Tree): string[] {
  const mayBeEarly = /^--(ignore-errors|delete-(before|during)|track-renames|suffix)/;
  if (trial.command !== 'sync' || trial.flags.some((flag) => mayBeEarly.test(flag))) return [];
  if (b === undefined) return [];
  const old = before.b ?? NOTHING;
  // Some are deleted to make room.
  const hasRoom = (path: string) =>
    !old.dirs.has(path) && !dirsAbove(path).some((dir) => old.files.has(dir));
  const missing = [...b.files].find(
    ([path, { contents, optional }]) =>
      !optional && hasRoom(path) && !contents.includes(after.files.get(path)?.content ?? ''),
  );
  if (missing === undefined) return [];
  return [...old.files.keys()]
    .filter((path) => !b.files.has(path) && !after.files.has(path))
    .map((path) => `b: ${path} was deleted, although ${missing[0]} is not right`);
}
