import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { transform } from 'esbuild';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PROGRAMS } from '../../scripts/bundle/programs.ts';
import { type StartupTrace, traceStartup } from './startup-trace.ts';

/** All that `syncer version` may need: the way to the command, and the command. */
const ALLOWED =
  /^(src\/main\.ts|commands\/mount\/called-as\.ts|src\/config\/config-path\.ts|src\/engine\/pass\.ts|src\/engine\/(passes\/(list|order|\w+\/flags)|rules\/flags)\.ts|src\/(core|go|names|shell|system)\/|commands\/(index|version\/version)\.ts|package\.json)/;
/** What every command needs besides itself: reading the command line, the log, the events' store, the version. */
const ALLOWED_ALWAYS =
  /^(src\/main\.ts|commands\/mount\/called-as\.ts|src\/config\/config-path\.ts|src\/engine\/(pass|bandwidth-timetable)\.ts|src\/state\/(lost-state|stores)\.ts|src\/engine\/(passes\/(list|order|\w+\/flags)|rules\/flags)\.ts|src\/(core|go|names|run|shell|system)\/|commands\/(index|help\/help|version\/version|\w+\/(command|flags))\.ts)/;
/** Modules of Node that cost milliseconds and do nothing for a version. */
const SLOW =
  /^NativeModule (_?https?|_?tls|http2|crypto|child_process|fs\/promises|v8|worker_threads|zlib)\b/;

const root = resolve(import.meta.dirname, '../..');
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'syncer-gate-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** What a plain command loaded and should not have. */
const findSurplus = ({ inputs, builtins, entry }: StartupTrace, allowed = ALLOWED) => [
  ...inputs.filter((path) => !allowed.test(path)),
  ...builtins.filter((name) => SLOW.test(name)),
  ...entry.imports,
];

/** Whether this is code that Node has understood since version 14. */
const isOldSyntax = async (code: string) => {
  const [old, current] = await Promise.all([
    transform(code, { target: 'es2020', format: 'esm' }).catch(() => undefined),
    transform(code, { target: 'esnext', format: 'esm' }),
  ]);
  return old?.code === current.code;
};

/** A project of these files in place of `src`, beside the same packages. */
async function plant(files: Record<string, string>): Promise<string> {
  const planted = join(folder, 'planted');
  await mkdir(join(planted, 'src'), { recursive: true });
  await cp(join(root, 'package.json'), join(planted, 'package.json'));
  await symlink(join(root, 'node_modules'), join(planted, 'node_modules'));
  for (const { entry: path } of Object.values(PROGRAMS)) {
    await mkdir(join(planted, dirname(path)), { recursive: true });
    await writeFile(join(planted, path), '');
  }
  for (const [path, text] of Object.entries(files))
    await writeFile(join(planted, 'src', path), text);
  return planted;
}

test('`syncer version` loads what it needs and nothing else', async () => {
  const trace = await traceStartup(root, folder, ['version']);
  expect(trace.inputs).toContain('src/main.ts');
  expect(trace.inputs).toContain('commands/version/version.ts');
  expect(findSurplus(trace)).toEqual([]);
});

test('a plain command loads neither storage nor engine nor packages', async () => {
  const trace = await traceStartup(root, folder, ['help']);
  expect(trace.inputs).toContain('commands/help/help.ts');
  expect(findSurplus(trace, ALLOWED_ALWAYS)).toEqual([]);
});

test('the entry is understood by an old Node, which is then told which one is needed', async () => {
  const { entry } = await traceStartup(root, folder, ['version']);
  expect(entry.text).toMatch(/^#!\/bin\/sh\n':' \/\/; .*exec node --disable-sigusr1 "\$0" "\$@"\n/);
  expect(entry.imports).toEqual([]);
  expect(await isOldSyntax(entry.text)).toBe(true);
});

test('the files that are bundled together are there', async () => {
  const named = Object.values(PROGRAMS).flatMap(({ entry, together, apart = {} }) => [
    entry,
    ...Object.values({ ...together, ...apart }).flat(),
  ]);
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test('planted faults are found: a package, a slow module of Node, a backend, an eager import', async () => {
  const planted = await plant({
    'main.ts': "import './eager.ts';\nawait import('./lazy.ts');\n",
    'eager.ts': "import { XMLParser } from 'fast-xml-parser';\nconsole.log(XMLParser);\n",
    'lazy.ts': "import { get } from 'node:https';\nconsole.log(get);\n",
  });
  const surplus = findSurplus(await traceStartup(planted, folder, []));
  expect(surplus).toContain('src/eager.ts');
  expect(surplus).toContain('src/lazy.ts');
  expect(surplus).toContain('NativeModule https');
  expect(surplus.join()).toMatch(/node_modules\/fast-xml-parser\//);
});

test('planted faults are found: syntax that an old Node does not know', async () => {
  expect(await isOldSyntax('const a = 1 ?? 2;')).toBe(true);
  expect(await isOldSyntax('let a; a ??= 2;')).toBe(false);
  expect(await isOldSyntax('await import("./a.js");')).toBe(false);
  expect(await isOldSyntax('class A { #a = 1; }')).toBe(false);
});

test.each(['lsf', 'copy'])(
  '%s of a local folder loads no modules of Node that it has no use for',
  async (command) => {
    const files = join(folder, 'files');
    await mkdir(files);
    await writeFile(join(files, 'a'), 'x');
    const to = command === 'copy' ? [join(folder, 'to')] : [];
    const { builtins } = await traceStartup(root, folder, [command, files, ...to]);
    expect(builtins).toContain('NativeModule perf_hooks');
    expect(builtins.filter((name) => SLOW.test(name))).toEqual([]);
  },
);

test('every program words it alike that Node is too old', async () => {
  const entries = ['src/main.ts', 'src/webhook/main.ts', 'installer/main.ts'];
  const texts = await Promise.all(entries.map((file) => readFile(join(root, file), 'utf8')));
  const wordings = texts.map((text) => /needs Node (.*)\\n`/.exec(text)?.[1]);
  const wanted = `\${needed} or newer; \${execPath} is \${versions.node}`;
  expect(wordings).toEqual(entries.map(() => wanted));
});
