import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COMMANDS } from '../../commands/index.ts';
import { ERROR_RULES } from '../../src/core/errors.ts';
import type { FlagDefinition } from '../../src/core/flags.ts';
import {
  allUsages,
  argumentCounts,
  type CommandUsage,
} from '../../src/shell/command-line/command.ts';
import { allFlags } from '../../src/shell/command-line/flag-set.ts';
import { environmentVariables } from '../../src/shell/command-line/flag-value.ts';
import { EXCLUSIONS, type Exclusion } from '../../src/shell/flags/exclusions.ts';
import { runInProcess } from '../support/run-in-process.ts';

const FLAG_OF: Readonly<Record<string, FlagDefinition>> = Object.fromEntries(
  allFlags(COMMANDS).map(({ key, definition }) => [key, definition]),
);
const USAGES = allUsages(COMMANDS);
const docs = (name: string) => readFile(resolve(import.meta.dirname, '../../docs', name), 'utf8');

type Row = Exclusion<string>;

/** The rows of the common flags, then those of each capability, which are for its commands only. */
const ROWS: readonly Row[] = [
  ...EXCLUSIONS,
  ...new Set(COMMANDS.flatMap(({ exclusions = [] }) => exclusions)),
].map((row) => {
  const [these, those, why, how] = row;
  const own = COMMANDS.filter(({ exclusions }) => exclusions?.includes(row) === true);
  const names = allUsages(own).map(({ name }) => name);
  return names.length === 0 ? row : [these, those, why, { in: names, ...how }];
});

/** One pair of the table, with what the table says of its row. */
interface Pair {
  readonly one: string;
  readonly other: string;
  readonly how: NonNullable<Row[3]>;
}

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'syncer-exclusions-'));
  for (const name of ['a', 'b']) {
    await mkdir(join(dir, name));
    await writeFile(join(dir, name, name), name);
  }
});
afterAll(() => rm(dir, { recursive: true, force: true }));

function flagsUnder(side: string): readonly string[] {
  const [, heading] = /^(\w+) flags$/.exec(side) ?? [];
  if (heading === undefined) return [side];
  return Object.keys(FLAG_OF).filter(
    (key) => FLAG_OF[key]?.group === heading && FLAG_OF[key].commands === undefined,
  );
}

function pairsOf([these, those, , how = {}]: Row): readonly Pair[] {
  const sides = (side: string | readonly string[]) => [side].flat().flatMap(flagsUnder);
  return sides(these).flatMap((one) =>
    sides(those).flatMap((other) => (one === other ? [] : [{ one, other, how }])),
  );
}

function hasSide({ name }: CommandUsage, side: string): boolean {
  if (side.startsWith('syncer ')) return side === `syncer ${name}`;
  const { commands } = FLAG_OF[side] ?? {};
  return commands?.includes(name) ?? true;
}

const shown = (side: string) =>
  side.startsWith('syncer ') ? side : `--${FLAG_OF[side]?.name ?? side}`;

function typedValue(key: string): string {
  const { type, values, placeholder } = FLAG_OF[key] as FlagDefinition;
  if (key === 'guard') return 'on';
  if (values !== undefined) return values[0] ?? '';
  if (type === 'bool') return 'true';
  if (type === 'int' || type === 'float' || type === 'count') return '7';
  if (type === 'size') return '7M';
  return type === 'duration' || placeholder === 'age' || key.endsWith('-age') ? '7h' : 'x';
}

/** A command that refuses a pair; `undefined` if none has both. */
function commandOf({ one, other, how }: Pair): CommandUsage | undefined {
  return USAGES.find(
    (usage) =>
      hasSide(usage, one) && hasSide(usage, other) && how.in?.includes(usage.name) !== false,
  );
}

/** Runs a command with both of a pair; what is wrong with its end, `undefined` if the pair is refused as it must be. */
async function faultOf(pair: Pair): Promise<string | undefined> {
  const { one, other, how } = pair;
  const command = commandOf(pair);
  if (command === undefined) return undefined;
  const keys = [one, other].filter((side) => !side.startsWith('syncer '));
  const env: Record<string, string> = { HOME: join(dir, 'home') };
  const args = [join(dir, 'a'), join(dir, 'b'), 'x'].slice(
    0,
    Math.max(argumentCounts(command)[0], 1),
  );
  const argv = [...command.name.split(' '), ...args];
  // A worker refuses these of the command line with another reason.
  const fromEnv = command.name === 'worker' && how.typed !== true;
  for (const key of keys) {
    const definition = FLAG_OF[key] as FlagDefinition;
    const name = definition.name ?? key;
    const [variable = ''] = environmentVariables({ key, name, definition } as never);
    if (fromEnv) env[variable] = typedValue(key);
    else argv.push(definition.type === 'count' ? '-v' : `--${name}=${typedValue(key)}`);
  }
  const { code, stderr } = await runInProcess(argv, env);
  const exit = ERROR_RULES[how.code ?? 'usage'].exit;
  const said =
    how.says === undefined
      ? stderr.includes(`can't use ${shown(one)} with ${shown(other)}: `)
      : stderr.includes(how.says);
  return code === exit && said ? undefined : `${argv.join(' ')}: ${code} ${stderr}`;
}

test('all pairs are refused with their exit code, and change nothing', async () => {
  const faults: string[] = [];
  for (const pair of ROWS.flatMap(pairsOf)) {
    const fault = await faultOf(pair);
    if (fault !== undefined) faults.push(fault);
  }
  expect(faults).toEqual([]);
  expect(await readdir(join(dir, 'a'))).toEqual(['a']);
  expect(await readdir(join(dir, 'b'))).toEqual(['b']);
}, 120_000);

test('every flag of the table excludes one that a command has with it', () => {
  const idle = ROWS.flatMap((row) => {
    const pairs = pairsOf(row);
    const isUsed = (key: string) =>
      pairs.some((pair) => [pair.one, pair.other].includes(key) && commandOf(pair) !== undefined);
    return [...new Set(pairs.flatMap(({ one, other }) => [one, other]))].filter((k) => !isUsed(k));
  });
  expect(idle).toEqual([]);
});

test('planted faults are found: a pair that is not refused, or with another exit code', async () => {
  const pair = { one: 'checksum', other: 'size-only', how: { in: ['check'] } } as const;
  expect(await faultOf(pair)).toContain('--checksum=true --size-only=true');
  const known = { one: 'compare-dest', other: 'copy-dest', how: { in: ['check'] } } as const;
  expect(await faultOf(known)).toBeUndefined();
  expect(await faultOf({ ...known, how: { in: ['check'], code: 'fatal' } })).toContain(': 1 ');
});

/** Flags of the table that a page does not name, of those excluded with this one. */
function missingIn(page: string, flag: string): readonly string[] {
  const rows = ROWS.filter(([these]) => [these].flat().includes(flag as never));
  const others = rows.flatMap(([, those]) => [those].flat().map(shown));
  return others.filter((name) => !new RegExp(`${name}(?![\\w-])`).test(page));
}

test('the pages about --checkpoint and --queue name all flags that they refuse', async () => {
  const [ranges, machines] = [await docs('interrupted-runs.md'), await docs('many-machines.md')];
  expect(missingIn(ranges, 'checkpoint')).toEqual([]);
  expect(missingIn(`${machines}${ranges}`, 'queue')).toEqual([]);
  expect(missingIn(ranges.replaceAll('--order-by', ''), 'checkpoint')).toEqual(['--order-by']);
});
