import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { readSourceFiles } from '../../scripts/checks/source-files.ts';
import { memoryRemote } from '../../src/backends/memory/memory-remote.ts';
import type { RuleGround } from '../../src/engine/file-work.ts';
import { PASSES } from '../../src/engine/passes/list.ts';
import { referencePass } from '../../src/engine/passes/references/references.ts';
import { RULE_FLAGS, ruleOptions } from '../../src/engine/rules/flags.ts';
import { RULES } from '../../src/engine/rules/list.ts';
import type { RuleBody } from '../../src/engine/rules/rule.ts';
import { noRuleFlags, plainOptions } from '../support/memory-world.ts';

const root = resolve(import.meta.dirname, '../..');
const page = await readFile(resolve(root, 'docs/one-transfer.md'), 'utf8');
const files = new Map(
  (await readSourceFiles(root, ['src', 'commands'])).map(({ path, text }) => [path, text]),
);

const declares = (path: string, name: string) =>
  new RegExp(`(?:function\\*?|class|const) ${name}\\b`).test(files.get(path) ?? '');
/** Whether a file has a method, which the text of a class declares at its first level. */
const hasMethod = (path: string, name: string) =>
  new RegExp(`^  (?:override )?(?:async )?\\*?${name}[(<]`, 'm').test(files.get(path) ?? '');

/** What is wrong with the trees of calls: a name that its file does not declare, or that its caller does not name. */
function faultsOfWay(text: string): string[] {
  const faults: string[] = [];
  for (const [, block = ''] of text.matchAll(/^```\n(.*?)^```/gms)) {
    const callers: { depth: number; path: string }[] = [];
    for (const line of block.trimEnd().split('\n')) {
      const [, indent = '', owner = '', method, path = ''] =
        /^( *)(\w+)(?:\.(\w+))? +(\S+\.ts) +\S/.exec(line) ?? [];
      const name = method ?? owner;
      const isThere =
        owner !== '' && declares(path, owner) && (method === undefined || hasMethod(path, method));
      if (!isThere) faults.push(`${path} has no ${name}: ${line}`);
      while ((callers.at(-1)?.depth ?? -1) >= indent.length) callers.pop();
      const caller = callers.at(-1);
      const isNamed = new RegExp(`\\b${name}\\b`).test(files.get(caller?.path ?? '') ?? '');
      if (caller !== undefined && !isNamed) faults.push(`${caller.path} does not name ${name}`);
      callers.push({ depth: indent.length, path });
    }
  }
  return faults;
}

/** The rows of the table below a heading, by cell, without backticks. */
function rowsBelow(heading: string): string[][] {
  const [, part = ''] = page.split(`## ${heading}\n`);
  return (part.split('\n## ')[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.slice(2, -2).replaceAll('| |', '|  |').split(' | '));
}

const namesIn = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');

test('the way of a file names functions that are there, each called by the one above it', () => {
  expect(faultsOfWay(page)).toEqual([]);
  expect(faultsOfWay(page.replace('openSource  ', 'openSauce  '))).toHaveLength(2);
  expect(
    faultsOfWay(page.replace('\n    HttpConn', '\nS3Client src/run/run.ts x\n    HttpConn')),
  ).toEqual([
    expect.stringContaining('src/run/run.ts has no S3Client'),
    'src/run/run.ts does not name HttpConnection',
  ]);
});

test('the way of a write in src/vfs/README.md names functions and methods that are there, each called by the one above it', async () => {
  const readme = await readFile(resolve(root, 'src/vfs/README.md'), 'utf8');
  expect(faultsOfWay(readme)).toEqual([]);
  expect(faultsOfWay(readme.replace('CachedFile.commit ', 'CachedFile.comit '))).toEqual([
    expect.stringContaining('src/vfs/contents/cached-file.ts has no comit'),
    'src/vfs/contents/open-file.ts does not name comit',
  ]);
  expect(faultsOfWay(readme.replace('uploadSource  src', 'uploadSours  src'))).toHaveLength(2);
});

test('every file that the page names is there', () => {
  const named = [...page.matchAll(/`((?:src|commands)\/[\w./-]+)`/g)].map(
    (match) => match[1] ?? '',
  );
  const isThere = (path: string) => [...files.keys()].some((file) => file.startsWith(path));
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((path) => !isThere(path))).toEqual([]);
});

test('the forms of a file on the page are types of the files that it names', () => {
  const rows = rowsBelow('The forms of a file');
  expect(rows).toHaveLength(6);
  const isType = (name: string, path: string) =>
    new RegExp(`export (?:interface|type) ${name}\\b`).test(files.get(path) ?? '');
  for (const [form, path] of rows) {
    const [name = ''] = namesIn(form);
    expect([name, isType(name, namesIn(path)[0] ?? '')]).toEqual([name, true]);
  }
});

test('the layers of a remote stand on the page as they are put around it', () => {
  const rows = rowsBelow('The layers of a remote');
  const layers = rows.map(([name, _called, file]) => [...namesIn(name), ...namesIn(file)]);
  for (const [name = '', path = ''] of layers)
    expect([name, declares(path, name)]).toEqual([name, true]);
  for (const [index, [, called]] of rows.entries()) {
    const [, path = ''] = layers[index] ?? [];
    const given = [...(files.get(path) ?? '').matchAll(/[^.\w]around\(\w+, '([\w-]+)'/g)];
    expect(given.map(([, name]) => name)).toEqual(expect.arrayContaining(namesIn(called)));
  }
  const text = files.get('src/run/remotes/layers.ts') ?? '';
  const [, first, second, third, last] =
    /const able = (\w+)\(remote.*?const learning = (\w+)\(able.*? (\w+)\(learning, memory.*?const noted = await this\.#run\.journal\?\.around\(thrifty.*?return (\w+)\(noted \?\? thrifty/s.exec(
      text,
    ) ?? [];
  const names = layers.map(([name]) => name);
  expect(names.slice(0, 5)).toEqual([first, second, third, 'withJournal', last]);
  // What else puts a layer around the remotes of a run.
  const others = [...files].filter(
    ([path, source]) => /^src\/(run|engine)\//.test(path) && /[^.\w]around\(/.test(source),
  );
  const known = layers.map(([, path]) => path);
  const beside = [
    'src/engine/shortcuts.ts',
    'src/run/history/change-journal.ts',
    'src/run/history/lazy-journal.ts',
  ];
  expect(
    others.map(([path]) => path).filter((path) => !known.includes(path) && !beside.includes(path)),
  ).toEqual([]);
});

test('the rules stand on the page in their order, with what they are asked about', () => {
  const remote = memoryRemote();
  const sized = { ...remote, can: { ...remote.can, confirmSize: async () => ({}) } };
  const isOn = Object.fromEntries(Object.keys(RULE_FLAGS).map((flag) => [flag, true]));
  const ground = {
    verb: 'move',
    source: sized,
    dest: remote,
    options: { ...plainOptions, ...ruleOptions({ ...noRuleFlags, ...isOn }) },
    ground: { windowNs: 1n, hash: undefined },
    keeper: { aside: {} },
  } as unknown as RuleGround;
  const asked = (rule: RuleBody | undefined) => {
    const { of } = rule ?? {};
    const when =
      of === undefined ? 'first' : of === 'change' ? 'about a change' : 'about a change or refusal';
    if (rule?.isForNew === true) return [when, 'new files'];
    return [when, rule?.of !== undefined && rule.keepsNames ? 'names' : ''];
  };
  const listed = Object.entries<(from: RuleGround) => RuleBody | undefined>(RULES).map(
    ([name, plan]) => [name, ...asked(plan(ground))],
  );
  const ofPasses = (['compare', 'copy'] as const).map((mode) => {
    const rule = referencePass({ mode, dirs: [] }).rule?.(ground);
    return [rule?.name, ...asked(rule)];
  });
  const rows = rowsBelow('The rules').map(([name, when, also]) => [...namesIn(name), when, also]);
  expect(rows.slice(0, -2)).toEqual([...listed, ...ofPasses]);
  const own = rows.slice(-2).map(([name]) => name);
  const named = [...files.values()].flatMap((text) =>
    [...text.matchAll(/^ {4}name: '([\w-]+)',$/gm)].map((match) => match[1]),
  );
  expect(named).toEqual(expect.arrayContaining(own));
});

test('the passes stand on the page in their order, with their flags, and with all that a pass can do', () => {
  const list = files.get('src/engine/passes/list.ts') ?? '';
  const names = /PASSES = \[(.*?)\]/s
    .exec(list)?.[1]
    ?.split(',')
    .map((name) => name.trim());
  const shown = [...page.matchAll(/`([A-Z]{4,})` \(([^)]*)\)/g)];
  expect(shown.map(([, name]) => name)).toEqual(names);
  for (const [at, [, , text]] of shown.entries()) {
    const flags = Object.keys(PASSES[at]?.flags ?? {}).map((flag) => `--${flag}`);
    expect(flags).toEqual(expect.arrayContaining(namesIn(text)));
  }
  const members = /export interface Pass \{(.*?)^\}/ms.exec(
    files.get('src/engine/pass.ts') ?? '',
  )?.[1];
  const all = [...(members ?? '').matchAll(/^ {2}readonly (\w+)\??:/gm)].map(
    (match) => match[1] ?? '',
  );
  const rows = rowsBelow('The passes');
  expect(rows.flatMap(([cell]) => namesIn(cell)).sort()).toEqual(all.sort());
  for (const [cell, where] of rows) {
    const [asker = ''] = namesIn(where);
    const at = [...files].filter(
      ([path]) => path.startsWith('src/engine/') && declares(path, asker),
    );
    for (const member of namesIn(cell))
      expect([member, at.some(([, text]) => text.includes(member))]).toEqual([member, true]);
  }
});
