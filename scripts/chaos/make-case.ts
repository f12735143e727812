import { RCLONE_LIES } from '../../test/support/rclone-lies.ts';
import { budgetCase } from './budgets.ts';
import type { Case, PlaceKind, Plan, Planted } from './case.ts';
import { Dice } from './dice.ts';
import { makeFault, makeLie, makeRefusal } from './faults.ts';
import { foldedCase } from './folding.ts';
import { linkedCase } from './links.ts';
import { LISTINGS } from './listing-model.ts';
import { filterFlags, syncFlags, waysFlags } from './make-flags.ts';
import { makeMany, makePath, makeTrees } from './make-tree.ts';
import { mountedCase } from './mounted.ts';
import { plantedFiles } from './tree.ts';

const PAIRS: readonly (readonly [PlaceKind, PlaceKind])[] = [
  ['local', 'local'],
  ['local', 's3'],
  ['s3', 'local'],
  ['s3', 's3'],
  ['local', 's3'],
  ['local', 'drive'],
  ['drive', 'local'],
  ['drive', 'drive'],
  ['s3', 'drive'],
];
const CHANGES = [
  'cleanup',
  'dedupe',
  'delete',
  'delete',
  'purge',
  'rmdir',
  'rmdirs',
  'mkdir',
  'deletefile',
  'rcat',
  'rcat',
  'touch',
];

/** Cases of a kind of their own, and how many of a hundred trials they are. */
const KINDS = [
  [10, liedCase],
  [5, foldedCase],
  [3, mountedCase],
  [3, linkedCase],
  [4, budgetCase],
  [2, farCase],
] as const;

/** The case of a seed. */
export function makeCase(seed: number): Case {
  const dice = new Dice(seed);
  const [from, to] = dice.pick(PAIRS);
  let lot = dice.below(100);
  for (const [share, make] of KINDS) {
    if (lot < share) return make(dice);
    lot -= share;
  }
  const within = dice.chance(60) ? { within: true as const } : {};
  if (dice.below(1000) < 7) return manyCase(dice);
  const trees = makeTrees(dice, [from, to]);
  const base = { from, to, flags: [], ...within };
  const both = { ...base, ...trees };
  if (dice.chance(4))
    return killCase(dice, { ...both, command: dice.pick(['copy', 'sync', 'move']) });
  if (dice.chance(6))
    return largeCase(dice, { ...both, command: dice.pick(['copy', 'sync', 'move', 'rcat']) });
  lot = dice.below(100);
  if (lot < 58)
    return transferCase(dice, { ...both, command: dice.pick(['copy', 'sync', 'sync', 'move']) });
  if (lot < 66) return singleCase(dice, { ...both, command: dice.pick(['copyto', 'moveto']) });
  if (lot < 74) return disturbed(dice, checkCase(dice, { ...both, command: 'check' }));
  const { b } = trees;
  const one = { ...base, from: 'local', b } as const;
  if (lot < 86)
    return disturbed(
      dice,
      listingCase(dice, { ...one, command: dice.pick([...LISTINGS, 'cat', 'cat']) }),
    );
  return disturbed(dice, changeCase(dice, { ...one, command: dice.pick(CHANGES) }));
}

/** The case, now and then with a fault. */
function disturbed(dice: Dice, base: Case): Case {
  const fault = dice.chance(15) ? makeFault(dice, base) : undefined;
  // What is only shown is not compared with a hash.
  const isUnseen = fault === undefined || (base.command === 'cat' && 'corrupt' in fault.fault);
  return isUnseen ? base : { ...base, fault };
}

function transferCase(dice: Dice, base: Case): Case {
  const flags = [
    ...(dice.chance(35) ? filterFlags(dice) : []),
    ...syncFlags(dice, base),
    ...waysFlags(dice, base),
  ];
  // How deep what is excluded is deleted, and whether a file that is asked for is filtered, is rclone's own affair.
  const leave = (which: RegExp) =>
    flags.splice(0, flags.length, ...flags.filter((flag) => !which.test(flag)));
  if (flags.includes('--delete-excluded')) leave(/^--max-depth/);
  // A destination that is not listed shows no markers either.
  if (flags.includes('--no-traverse')) leave(/^--((min|max)-(size|age)|exclude-if-present)/);
  if (dice.chance(8)) flags.push('--dry-run');
  // A pattern matches one form of a name only: `?` is one character of it; what is asked for by name has that form.
  const isExact =
    flags.some((flag) =>
      /^--(include|exclude|filter|m(in|ax)-|no-unicode|no-traverse|backup-dir)/.test(flag),
    ) || base.command.endsWith('to');
  const { a, b, ...rest } = base;
  const fault = dice.chance(20) ? makeFault(dice, base) : undefined;
  if (fault !== undefined && dice.chance(40)) flags.push('--retries=2');
  return {
    ...rest,
    flags,
    ...(a === undefined || dice.chance(3) ? {} : { a }),
    ...(b === undefined || dice.chance(12) ? {} : { b: isExact ? b : inOtherForm(dice, b) }),
    ...(fault === undefined && dice.chance(15) ? laterChange(dice, base) : {}),
    ...(fault === undefined ? archivedFiles(dice, { ...base, flags }) : { fault }),
  };
}

/** Some files of a bucket are in an archive, if nothing in the run needs to copy them. */
function archivedFiles(dice: Dice, { command, from, to, flags, b = {} }: Case) {
  const copies = flags.some((flag) => /^--(backup-dir|suffix)/.test(flag));
  if (to !== 's3' || from === 's3' || command === 'move' || copies) return {};
  const archived = filesOf(b).filter(() => dice.chance(50));
  return dice.chance(25) && archived.length > 0 ? { archived } : {};
}

/** A file of the same size with another content, as only its time or its hash can tell. */
function laterChange(dice: Dice, base: Case): Pick<Case, 'later'> {
  const side = dice.pick(['a', 'b'] as const);
  const plan = base[side] ?? {};
  const path = dice.pick(filesOf(plan).filter((each) => /^[ -~]*$/.test(each)));
  const old = path === undefined ? undefined : plan[path];
  if (path === undefined || old === undefined || typeof old === 'string') return {};
  const [size, id] = old;
  return { later: { side, plan: { [path]: [size, id + 7, '1650000000.75'] } } };
}

/** The same tree with some names in the other normal form of Unicode. */
function inOtherForm(dice: Dice, plan: Plan): Plan {
  const entries = Object.entries(plan).map(([path, what]) => {
    const form = path.normalize('NFC') === path ? 'NFD' : 'NFC';
    return [dice.chance(50) ? path.normalize(form) : path, what] as const;
  });
  return Object.fromEntries(entries);
}

/** A run that is killed: when a server sees its nth request, or so many milliseconds after the first change. */
function killCase(dice: Dice, base: Case): Case {
  const { fault: _, ...trial } = transferCase(dice, { ...base, ...grown(base, dice) });
  const side = base.to === 'local' ? 'a' : 'b';
  const isLocal = base.from === 'local' && base.to === 'local';
  const skip = isLocal ? dice.below(30) : dice.below(25);
  return { ...trial, fault: { side, skip, count: 1, fault: { kill: true } } };
}

/** Files that go in parts, in ranges, in fragments, and now and then with faults in between. */
function largeCase(dice: Dice, base: Case): Case {
  const size = dice.pick(base.to === 'drive' || dice.chance(50) ? FRAGMENTS : PARTS);
  const flags = [...waysFlags(dice, base), '--s3-chunk-size=5Mi', '--s3-copy-cutoff=5Mi'];
  flags.push(`--s3-upload-cutoff=${dice.pick(['0', '5Mi', '6Mi'])}`);
  flags.push(
    `--multi-thread-cutoff=${dice.pick(['1Mi', '300Ki', '100Mi'])}`,
    '--onedrive-chunk-size=320Ki',
  );
  const unique = flags.filter(
    (flag, at) => flags.findLastIndex((other) => sameFlag(flag, other)) === at,
  );
  if (base.command === 'rcat') return { ...base, name: 'big', size, flags: unique };
  const a = { big: [size, 1, '1600000000.5'] as const, small: [10, 2, '1000000000'] as const };
  const b = dice.chance(50) ? { big: [size, 2, '1300000000'] as const } : {};
  const fault = dice.chance(60) ? makeFault(dice, base) : undefined;
  return { ...base, a, b, c: {}, flags: unique, ...(fault === undefined ? {} : { fault }) };
}

const MIB = 1024 ** 2;
const PARTS = [5 * MIB - 1, 5 * MIB, 5 * MIB + 1, 6 * MIB + 5, 10 * MIB, 10 * MIB + 1, 11 * MIB];
const FRAGMENTS = [327_679, 327_680, 327_681, 655_360, 700_001, 1_000_000, 2 * MIB + 1];

function sameFlag(one: string, other: string): boolean {
  return one.split('=')[0] === other.split('=')[0];
}

/** The trees with files that take a while. */
function grown({ a = {}, b = {} }: Case, dice: Dice): { a: Plan; b: Plan } {
  const grow = (plan: Plan) =>
    Object.fromEntries(
      Object.entries(plan).map(([path, what]) => {
        if (typeof what === 'string' || dice.chance(50)) return [path, what];
        const [size, id, time] = what;
        return [path, [size * 300, id, time] as const];
      }),
    );
  return { a: grow(a), b: grow(b) };
}

function liedCase(dice: Dice): Case {
  if (dice.chance(20)) return refusedCase(dice);
  const [from, to] = dice.pick([
    ['local', 'lied'],
    ['lied', 'local'],
    ['lied', 'lied'],
    ['local', 'drive'],
    ['drive', 'local'],
    ['drive', 'drive'],
  ] as const);
  const command = dice.pick(['copy', 'sync', 'move']);
  const trees = makeTrees(dice, [from, to]);
  const old = to === 'lied' && dice.chance(60) ? { b: { ...trees.b, ...olderOf(trees.a) } } : {};
  const base: Case = { from, to, command, flags: [], ...trees, ...old, within: true };
  // Listings of version 1 do not count their keys, and `--s3-no-head` asks for no proof of an upload.
  const flags = waysFlags(
    dice,
    from === 'drive' || to === 'drive' ? base : { ...base, from: 's3' },
  ).filter((flag) => !/list-version|no-head/.test(flag));
  const fault = makeLie(dice, base);
  const isUnseen = JSON.stringify(fault.fault).includes('copy-unmade') && command !== 'move';
  return { ...base, flags, fault, ...(isUnseen && { b: withoutOldTimes(base) }) };
}

/** A new time alone is a copy of an object onto itself, which only a move verifies (decision 0035). */
function withoutOldTimes({ a = {}, b = {} }: Case): Plan {
  const isSame = ([path, [size, id]]: readonly [string, Planted]) =>
    a[path]?.[0] === size && (size === 0 || a[path]?.[1] === id);
  return Object.fromEntries(Object.entries(b).filter((file) => !isSame(file)));
}

/** What a store may have of the same files: as long, and stored later than now by its clock. */
function olderOf(plan: Plan): Plan {
  const files = Object.entries(plan).flatMap(([path, what]) =>
    typeof what === 'string' ? [] : [[path, [what[0], what[1] + 1, '3900000000']] as const],
  );
  return Object.fromEntries(files);
}

/** A store that refuses a deletion. */
function refusedCase(dice: Dice): Case {
  const { a, b, c } = makeTrees(dice, ['local', 'lied']);
  const fault = makeRefusal(dice);
  const base = { from: 'local', to: 'lied', flags: [], within: true, b, fault } as const;
  return dice.chance(30)
    ? { ...base, command: 'delete' }
    : { ...base, command: 'sync', a: dice.chance(50) ? a : {}, c };
}

/** A directory behind rclone, of whose answers one kind is false in the first run. */
function farCase(dice: Dice): Case {
  const isTo = dice.chance(30);
  const command = dice.pick(['copy', 'sync', 'sync', 'move']);
  const { a, b } = makeTrees(dice, ['local']);
  const places = isTo
    ? ({ from: 'local', to: 'far' } as const)
    : ({ from: 'far', to: 'local' } as const);
  const lie = dice.pick(Object.keys(RCLONE_LIES));
  const fault = { side: isTo ? 'b' : 'a', skip: 0, count: 1, fault: { lie } } as const;
  return { ...places, command, flags: [], within: true, a, b: isTo ? {} : b, fault };
}

function singleCase(dice: Dice, base: Case): Case {
  const { a = {}, b = {} } = base;
  const path = dice.pick(filesOf(a));
  if (path === undefined) return checkCase(dice, { ...base, command: 'check' });
  const name = dice.pick([path, path, ...filesOf(b), makePath(dice, dice.chance(30))]);
  const { flags, ...rest } = transferCase(dice, base);
  const fitting = flags.filter(
    (flag) =>
      !/^--(include|exclude|filter|m..-(age|size|depth)|suffix|create-empty|delete-empty|.*-dest|max-delete|track)/.test(
        flag,
      ),
  );
  return { ...rest, flags: fitting, a, path, name };
}

function checkCase(dice: Dice, base: Case): Case {
  const flags = dice.chance(30) ? filterFlags(dice) : [];
  if (dice.chance(60))
    flags.push(dice.pick(['--checksum', '--size-only', '--download', '--one-way']));
  if (dice.chance(20)) flags.push('--one-way');
  return { ...base, flags: [...flags, ...waysFlags(dice, base)] };
}

function listingCase(dice: Dice, base: Case): Case {
  const flags = [...(dice.chance(50) ? filterFlags(dice) : []), ...waysFlags(dice, base)];
  const { command, b = {} } = base;
  if (command === 'lsf' && (flags.length > 0 || dice.chance(40)))
    flags.push('--format=pst', '--files-only');
  if (command === 'md5sum' && base.to === 'drive') return { ...base, command: 'ls', flags };
  if (command !== 'cat') return { ...base, flags };
  const files = filesOf(b);
  const long = files.filter((path) => Number(b[path]?.[0]) > 60);
  const name = dice.pick([...files, ...long, ...long]);
  if (name === undefined) return { ...base, command: 'ls', flags };
  const range = dice.chance(75) ? [`--offset=${dice.pick([0, 0, 1, 9, 10, 50, 4000])}`] : [];
  if (range.length > 0) range.push(`--count=${dice.pick([0, 1, 1, 5, 5, 100, 5000])}`);
  return { ...base, name, flags: [...range, ...waysFlags(dice, base)] };
}

function changeCase(dice: Dice, base: Case): Case {
  const flags = waysFlags(dice, base);
  const { command, b = {} } = base;
  const name = dice.pick([...filesOf(b), ...filesOf(b), makePath(dice, dice.chance(30))]);
  if (dice.chance(8)) flags.push('--dry-run');
  if (command === 'delete') {
    if (dice.chance(60)) flags.push(...filterFlags(dice));
    if (dice.chance(25)) flags.push(`--max-delete=${dice.below(4)}`);
    if (dice.chance(25)) flags.push('--rmdirs');
    return { ...base, flags };
  }
  if (command === 'dedupe') {
    const mode = dice.pick(['newest', 'oldest']);
    return { ...base, flags: [...flags, '--by-hash', `--dedupe-mode=${mode}`] };
  }
  if (command === 'rmdirs') flags.push('--leave-root');
  if (['purge', 'rmdir', 'rmdirs', 'cleanup'].includes(command)) return { ...base, flags };
  if (command === 'touch') {
    flags.push(`--timestamp=${dice.pick(['2020-01-02T03:04:05', '1999-12-31T23:59:59.123456'])}`);
    if (dice.chance(20)) flags.push('--no-create');
  }
  if (command !== 'rcat') return { ...base, name, flags };
  if (dice.chance(50))
    flags.push(`--streaming-upload-cutoff=${dice.pick(['0', '10B', '100B', '5000B'])}`);
  return { ...base, name, size: dice.pick([0, 1, 9, 10, 11, 100, 101, 5000, 200_000]), flags };
}

function filesOf(plan: Plan): string[] {
  return plantedFiles(plan).map(([path]) => path);
}

/** One side has so many files that pages and batches are full. */
function manyCase(dice: Dice): Case {
  const to = dice.pick(['s3', 's3', 's3', 'local', 'drive'] as const);
  const command = dice.pick(['sync', 'sync', 'delete', 'copy', 'move', 'lsf']);
  const isOneSided = ['delete', 'lsf'].includes(command);
  const from = isOneSided ? 'local' : dice.pick(['local', 'local', 's3'] as const);
  const many = makeMany(dice, to === 'drive' ? 150 : 1030);
  const [path = ''] = Object.keys(many);
  const few = { [path]: many[path] ?? 'dir' };
  const b = isOneSided || (command === 'sync' && dice.chance(60)) ? many : few;
  const base: Case = { from, to, command, flags: [], within: true, b };
  const flags = waysFlags(dice, base).filter((flag) => !/list-chunk|^-vv|^--dump/.test(flag));
  if (command === 'lsf') flags.push('--format=pst', '--files-only');
  return { ...base, flags, ...(isOneSided ? {} : { a: b === many ? few : many, c: {} }) };
}
