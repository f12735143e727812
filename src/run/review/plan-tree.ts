import { compareNames } from '../../core/name-order.ts';
import { dirsAbove, leafName } from '../../core/remote-path.ts';
import type { Keep } from '../../engine/consent.ts';
import { addEffect, type Effect, noEffect, type SeenDest } from './afterwards.ts';
import type { Plan } from './plan-consent.ts';
import {
  type ChangeKind,
  DANGERS,
  type Danger,
  KINDS,
  type PlannedChange,
} from './planned-change.ts';

/** How many changes of which kinds, and their bytes. */
export interface Totals {
  changes: number;
  /** Of files whose content comes or goes. */
  bytes: number;
  /** What of that goes. */
  deleted: number;
  /** Less than the rest may be sent. */
  isAtMost: boolean;
  /** Of a folder: how many changes of each kind, in the order of `KINDS`. A single change has none. */
  readonly kinds: number[];
}

/** A new directory that has the files of a deleted one. */
interface LooksRenamed {
  /** The new directory. */
  readonly to: string;
  /** How many of the files that would be deleted are equal to one of it, as far as the listings say, */
  readonly equal: number;
  /** and how many would be deleted. */
  readonly of: number;
}

/** A file or a folder of the plan. */
export interface PlanNode {
  readonly name: string;
  readonly path: string;
  /** 0 for what is directly below the root. */
  readonly depth: number;
  readonly parent: PlanNode | undefined;
  readonly children: PlanNode[];
  /** What is done to it itself. */
  readonly change: PlannedChange | undefined;
  readonly isDir: boolean;
  /** It stands for all changes of some kinds, and is no folder. */
  readonly danger?: Danger;
  /** Of a folder that is deleted: a new one has the same files. */
  readonly renamed?: LooksRenamed | undefined;
  /** Its own change shall not be made. */
  dropped: boolean;
  folded: boolean;
  /** Of a conflict: what a person decided. */
  keep: Keep | undefined;
  /** Its own change is among those the filter shows. */
  matches: boolean;
  /** Of itself and all below it: what the filter shows, */
  shown: number;
  /** and what of that is to be done. */
  readonly chosen: Totals;
  /** The path in lower case, once it was asked for. */
  lowerPath: string | undefined;
}

/** The changes of a plan as a tree. */
export interface PlanTree {
  /** Not shown itself. */
  readonly root: PlanNode;
  /** All below it, every folder before what is in it. */
  readonly nodes: readonly PlanNode[];
  /** How many changes of each kind the plan has, in the order of `KINDS`. */
  readonly kinds: readonly number[];
  /** Some folder looks renamed. */
  readonly hasRenames: boolean;
  /** The destination, where it was walked, and what the chosen changes make of it. */
  readonly seen: SeenDest | undefined;
  readonly effect: Effect;
}

/** What of a tree is shown. */
export interface PlanFilter {
  /** In lower case; paths that do not hold it are hidden. */
  readonly text: string;
  readonly deletionsOnly: boolean;
}

const MOVES_BYTES: ReadonlySet<ChangeKind> = new Set(['copy', 'update', 'move', 'delete']);

const NO_KINDS: number[] = [];

/** Whether something is deleted or replaced. */
export function losesSomething({ kinds }: Totals): boolean {
  const losing = ['update', 'move', 'delete', 'remove-dir', 'conflict'];
  return KINDS.some((kind, at) => losing.includes(kind) && (kinds[at] ?? 0) > 0);
}

/** Whether both sides changed the file. */
export const isConflict = ({ change }: PlanNode): boolean => change?.kind === 'conflict';

/** What is done about a change, in words: what a person decided about a conflict comes first. */
export function reasonOfNode({ change, keep }: PlanNode): string {
  if (keep === undefined) return change?.reason ?? '';
  return keep === 'both' ? 'keep both (decided)' : `keep only ${keep} (decided)`;
}

export const NO_FILTER: PlanFilter = { text: '', deletionsOnly: false };

/**
 * Builds the tree: below what is done, the most dangerous first, if it is not the same to all paths. Folders come before
 * files, both in the order of their names.
 *
 * @param canTrack marks folders that look renamed: they can be planned again as renames
 */
export function buildPlanTree(plan: Plan, seen?: SeenDest, canTrack = false): PlanTree {
  const root = newNode('', undefined, undefined, true);
  const groups = DANGERS.map((danger) => {
    // A move onto another file replaces it.
    const changes = [...plan.values()].filter(({ kind, dest }) =>
      danger.kinds.includes(kind === 'move' && dest !== undefined ? 'update' : kind),
    );
    return { danger, changes };
  }).filter(({ changes }) => changes.length > 0);
  const renamed = canTrack ? findRenames(plan) : new Map<string, LooksRenamed>();
  const nodes: PlanNode[] = [];
  const take = (node: PlanNode) => {
    node.children.sort(byFolderAndName);
    for (const child of node.children) {
      nodes.push(child);
      take(child);
    }
  };
  for (const { danger, changes } of groups) {
    const top =
      groups.length === 1 ? root : { ...newNode(danger.name, root, undefined, true), danger };
    fillTree(top, changes, danger.kinds.includes('delete') ? renamed : new Map());
    if (top !== root) {
      root.children.push(top);
      nodes.push(top);
    }
    take(top);
  }
  const tree = { root, nodes, seen, effect: noEffect() };
  reckon(tree, NO_FILTER);
  return { ...tree, kinds: [...root.chosen.kinds], hasRenames: renamed.size > 0 };
}

function fillTree(
  top: PlanNode,
  changes: readonly PlannedChange[],
  renamed: ReadonlyMap<string, LooksRenamed>,
): void {
  const dirs = new Map<string, PlanNode>([['', top]]);
  const dirNode = (path: string): PlanNode => {
    const known = dirs.get(path);
    if (known !== undefined) return known;
    const parent = dirNode(parentOf(path));
    const node = { ...newNode(path, parent, undefined, true), renamed: renamed.get(path) };
    parent.children.push(node);
    dirs.set(path, node);
    return node;
  };
  for (const change of changes) {
    const isOfDir = change.isDir && change.path !== '';
    const parent = isOfDir ? dirNode(change.path) : dirNode(parentOf(change.path));
    const path = isOfDir ? `${change.path}/.` : change.path;
    parent.children.push(newNode(path, parent, change, false));
  }
}

/** Brings `effect`, and of all nodes `matches`, `shown` and `chosen` up to date: one pass, without making anything. */
export function reckon(
  { root, nodes, seen, effect }: Pick<PlanTree, 'root' | 'nodes' | 'seen' | 'effect'>,
  { text, deletionsOnly }: PlanFilter,
): void {
  Object.assign(effect, noEffect());
  reset(root);
  for (const node of nodes) reset(node);
  for (let at = nodes.length - 1; at >= 0; at--) {
    const node = nodes[at] as PlanNode;
    const { change, parent, chosen } = node;
    if (change !== undefined) {
      if (text !== '') node.lowerPath ??= change.path.toLowerCase();
      const holdsText = text === '' || node.lowerPath?.includes(text) === true;
      const isDeletion = change.kind === 'delete' || change.kind === 'remove-dir';
      node.matches = holdsText && (!deletionsOnly || isDeletion);
      node.shown = node.matches ? 1 : 0;
      if (node.matches && !node.dropped) {
        chosen.changes = 1;
        addEffect(effect, change, seen?.costs);
        if (MOVES_BYTES.has(change.kind)) chosen.bytes = Math.max(0, change.size);
        if (change.kind === 'delete') chosen.deleted = chosen.bytes;
        chosen.isAtMost = change.isAtMost === true;
      }
    }
    if (parent !== undefined) addTo(parent, node);
  }
}

/** Drops all that the filter shows of a node and below it, or takes it in again where all of it is dropped. */
export function toggle(node: PlanNode): void {
  const drop = node.chosen.changes > 0;
  const visit = (one: PlanNode) => {
    if (one.matches) one.dropped = drop;
    for (const child of one.children) visit(child);
  };
  visit(node);
}

/** The nodes to show, line by line: what the filter shows, without what is in folded folders. */
export function visibleNodes({ root }: PlanTree): readonly PlanNode[] {
  const lines: PlanNode[] = [];
  const take = (node: PlanNode) => {
    for (const child of node.children) {
      if (child.shown === 0) continue;
      lines.push(child);
      if (!child.folded) take(child);
    }
  };
  take(root);
  return lines;
}

/** The line to begin with: the first that is a change, or a folder. */
export function firstCursor([first]: readonly PlanNode[]): number {
  return first?.danger === undefined ? 0 : 1;
}

/** The changes that are to be made: those that are shown and not dropped, in folded folders, too. */
export function chosenChanges({ nodes }: PlanTree): ReadonlySet<PlannedChange> {
  const chosen = new Set<PlannedChange>();
  for (const { change, matches, dropped } of nodes) {
    if (change !== undefined && matches && !dropped) chosen.add(change);
  }
  return chosen;
}

function newNode(
  path: string,
  parent: PlanNode | undefined,
  change: PlannedChange | undefined,
  isDir: boolean,
): PlanNode {
  return {
    name: path.slice(path.lastIndexOf('/') + 1),
    path,
    depth: parent === undefined ? -1 : parent.depth + 1,
    parent,
    children: [],
    change,
    isDir,
    dropped: false,
    folded: false,
    keep: undefined,
    matches: false,
    shown: 0,
    chosen: {
      changes: 0,
      bytes: 0,
      deleted: 0,
      isAtMost: false,
      kinds: isDir ? KINDS.map(() => 0) : NO_KINDS,
    },
    lowerPath: undefined,
  };
}

function reset(node: PlanNode): void {
  const { chosen } = node;
  node.matches = false;
  node.shown = 0;
  chosen.changes = 0;
  chosen.bytes = 0;
  chosen.deleted = 0;
  chosen.isAtMost = false;
  if (node.isDir) chosen.kinds.fill(0);
}

function addTo(parent: PlanNode, { shown, chosen, change }: PlanNode): void {
  const sum = parent.chosen;
  parent.shown += shown;
  if (chosen.changes === 0) return;
  sum.changes += chosen.changes;
  sum.bytes += chosen.bytes;
  sum.deleted += chosen.deleted;
  sum.isAtMost ||= chosen.isAtMost;
  if (change !== undefined) addKind(sum.kinds, KINDS.indexOf(change.kind), 1);
  else for (const [at, count] of chosen.kinds.entries()) addKind(sum.kinds, at, count);
}

function addKind(kinds: number[], at: number, count: number): void {
  kinds[at] = (kinds[at] ?? 0) + count;
}

function byFolderAndName(a: PlanNode, b: PlanNode): number {
  if (a.isDir !== b.isDir) return a.isDir ? -1 : 1;
  return compareNames(a.name, b.name);
}

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/**
 * The directories of a plan that look renamed, by their paths: more than half of the files that would be deleted in one
 * are new in another one, with the same path below it, size and time.
 */
function findRenames(plan: Plan): ReadonlyMap<string, LooksRenamed> {
  const found = new Map<string, LooksRenamed>();
  const added = new Map<string, PlannedChange[]>();
  if (![...plan.values()].some(({ kind }) => kind === 'delete')) return found;
  for (const change of plan.values()) {
    if (change.kind !== 'copy' || change.toPath !== undefined) continue;
    const key = keyOf(change);
    const known = added.get(key);
    if (known === undefined) added.set(key, [change]);
    // More of one name and size are not looked at.
    else if (known.length < 16) known.push(change);
  }
  if (added.size === 0) return found;
  const equals = new Map<string, Map<string, number>>();
  const deleted = new Map<string, number>();
  for (const change of plan.values()) {
    if (change.kind !== 'delete' || change.dest === undefined || change.toPath !== undefined)
      continue;
    for (const dir of dirsAbove(change.path)) deleted.set(dir, (deleted.get(dir) ?? 0) + 1);
    const pairs = new Set<string>();
    for (const { path, source } of added.get(keyOf(change)) ?? []) {
      const [from, to] = withoutCommonEnd(change.path, path);
      if (from === '' || to === '' || source === undefined) continue;
      const [a, b] = [change.dest.modTime, source.modTime];
      // A place may keep times to the second only.
      const isEqual =
        a === undefined || b === undefined || a / 1_000_000_000n === b / 1_000_000_000n;
      if (isEqual) pairs.add(`${from}\0${to}`);
    }
    for (const pair of pairs) {
      const [from = '', to = ''] = pair.split('\0');
      const counts = equals.get(from) ?? new Map<string, number>();
      equals.set(from, counts.set(to, (counts.get(to) ?? 0) + 1));
    }
  }
  for (const [from, counts] of equals) {
    const [to = '', equal = 0] = [...counts].sort(([, a], [, b]) => b - a)[0] ?? [];
    const of = deleted.get(from) ?? 0;
    if (2 * equal > of) found.set(from, { to, equal, of });
  }
  return found;
}

/** What looks renamed, in words. */
export function renamedText({ to, equal, of }: LooksRenamed): string {
  return `looks like a renamed ${to}/ (${equal} of ${of} equal)`;
}

const keyOf = ({ path, size }: PlannedChange): string => `${leafName(path)}\0${size}`;

function withoutCommonEnd(a: string, b: string): readonly [string, string] {
  const [names, others] = [a.split('/'), b.split('/')];
  while (names.length > 0 && others.length > 0 && names.at(-1) === others.at(-1)) {
    names.pop();
    others.pop();
  }
  return [names.join('/'), others.join('/')];
}
