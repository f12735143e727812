import { createHash } from 'node:crypto';
import { join, relative } from 'node:path';
import { build, transform } from 'esbuild';
import { type OutputChunk, rolldown } from 'rolldown';
import { findCycles } from '../checks/import-cycles.ts';
import { asEntry, asScript } from './as-script.ts';
import { lateBuiltins } from './late-builtins.ts';
import { loadedTogether } from './loaded-together.ts';
import { madeAhead } from './made-ahead.ts';
import { PACKAGES, type PackageName, PROGRAMS, type Program } from './programs.ts';
import { billOfMaterials, thirdPartyNotice } from './third-party-notice.ts';
import { withoutFacades } from './without-facades.ts';

/** A file of the bundle: its path relative to the output folder, its bytes, and whether it is a program. */
export interface BundleFile {
  readonly path: string;
  readonly contents: Uint8Array;
  readonly executable: boolean;
}

/** What went into a file of the bundle. */
export interface BundleParts {
  /** The source files and packages' files in it, relative to the project. */
  readonly inputs: readonly string[];
  /** The other files of the bundle that it imports at once, relative to the output folder. */
  readonly imports: readonly string[];
  /** The same of those it may import later. */
  readonly lateImports: readonly string[];
}

/** What the bundler made: the files, and of each script what went into it. */
export interface Bundle {
  readonly files: readonly BundleFile[];
  readonly parts: Readonly<Record<string, BundleParts>>;
}

/**
 * The first lines of a program: a shell starts Node, since `env` passes on flags only with `-S`, which BusyBox lacks.
 * SIGUSR1 would open Node's debugger for all users of the machine. The flag keeps the signal blocked; before Node reads
 * the flag, the shell has it ignored. `node syncer.js` has no flag, so its first instruction is a listener. SIGUSR2
 * would end the program: Node lets it, from its own start on, until a script listens.
 */
const START = `#!/bin/sh
':' //; trap '' USR1 USR2; exec node --disable-sigusr1 "$0" "$@"
process.on('SIGUSR1',function(){});process.on('SIGUSR2',function(){});`;

/** What the bundle is written for: the oldest Node that `package.json` allows. */
const TARGET = 'node24.15';

/**
 * Bundles the programs of a package, without writing anything: each by itself, with a file for what it always loads
 * together and one under `chunks/` for every other `import()` in the source, read only when it is reached.
 *
 * @param root the project's folder, absolute
 */
export async function bundle(root: string, name: PackageName): Promise<Bundle> {
  const programs = await Promise.all(
    PACKAGES[name].programs.map((program) => chunksOf(root, program, PROGRAMS[program] as Program)),
  );
  const chunks = withoutFacades(eachOnce(programs.flat()));
  refuseCycles(chunks);
  const modules = await Promise.all(
    chunks.map(async ({ fileName, code, isEntry }) => {
      const { code: short, legalComments } = await minify(code);
      return { fileName, code: inAscii(short), legalComments, isEntry };
    }),
  );
  const scripts = modules
    .filter(({ isEntry }) => !isEntry)
    .map(({ fileName, code }) => ({
      path: fileName,
      text: naming(fileName, () => asScript(code)),
    }));
  const loader = await scriptLoader(scripts);
  const entries = modules
    .filter(({ isEntry }) => isEntry)
    .map(({ fileName, code }) => ({ path: fileName, text: entryText(loader, code) }));
  const parts = Object.fromEntries(chunks.map((chunk) => [chunk.fileName, partsOf(root, chunk)]));
  const inputs = [...new Set(Object.values(parts).flatMap((part) => part.inputs))];
  const legalComments = modules.flatMap((module) => module.legalComments || []);
  const notice = await thirdPartyNotice(root, inputs, legalComments);
  const materials = await billOfMaterials(root, name, inputs);
  return {
    files: [
      ...scripts.map(({ path, text }) => file(path, text, false)),
      ...entries.map(({ path, text }) => file(path, text, true)),
      file('THIRD_PARTY.txt', notice, false),
      file('sbom.cdx.json', materials, false),
    ],
    parts,
  };
}

/** What several programs have alike has one name, and is one file. */
function eachOnce(chunks: readonly OutputChunk[]): OutputChunk[] {
  const byName = new Map<string, OutputChunk>();
  for (const chunk of chunks) {
    const { fileName, code } = chunk;
    if ((byName.get(fileName)?.code ?? code) !== code) throw new Error(`two files ${fileName}`);
    byName.set(fileName, chunk);
  }
  return [...byName.values()];
}

/** Throws if files import each other: each would wait for the other, and the program end without a word. */
export function refuseCycles(chunks: readonly Pick<OutputChunk, 'fileName' | 'imports'>[]): void {
  const imports = chunks.map(({ fileName, imports }) => {
    const targets = imports.map((target) => ({ own: true, lazy: false, target }));
    return [fileName, targets] as const;
  });
  const [cycle] = findCycles(new Map(imports));
  if (cycle !== undefined) throw new Error(`files import each other: ${cycle.join(' → ')}`);
}

function partsOf(root: string, chunk: OutputChunk): BundleParts {
  return {
    inputs: chunk.moduleIds.filter(isFile).map((id) => relative(root, id)),
    imports: chunk.imports.filter(isChunk),
    lateImports: chunk.dynamicImports.filter(isChunk),
  };
}

async function chunksOf(root: string, name: string, program: Program): Promise<OutputChunk[]> {
  const { plugin, groups } = loadedTogether(root, program);
  const build = await rolldown({
    cwd: root,
    input: { [name]: program.entry },
    platform: 'node',
    external: ['koffi'],
    // React's slow checks for developers stay out, and so does Ink's connection to a debugger.
    transform: { target: TARGET, define: { 'process.env.NODE_ENV': '"production"' } },
    resolve: {
      mainFields: ['module', 'main'],
      alias: { 'react-devtools-core': join(root, 'scripts/bundle/no-devtools.cjs') },
    },
    preserveEntrySignatures: false,
    plugins: [plugin, lateBuiltins(), madeAhead()],
    logLevel: 'warn',
    checks: { ineffectiveDynamicImport: false },
  });
  try {
    const { output } = await build.generate({
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name]-[hash].js',
      codeSplitting: { includeDependenciesRecursively: false, groups },
      comments: { legal: true, annotation: true, jsdoc: false },
      minify: false,
    });
    return output.filter((one) => one.type === 'chunk');
  } finally {
    await build.close();
  }
}

const isFile = (id: string) => id.startsWith('/') && !id.includes('\0');
const isChunk = (path: string) => path.endsWith('.js');

function minify(code: string) {
  return transform(code, {
    format: 'esm',
    target: TARGET,
    minifySyntax: true,
    minifyWhitespace: true,
    keepNames: false,
    legalComments: 'external',
  });
}

/**
 * Escapes what esbuild leaves in regular expressions: a single character beyond ASCII, and Node reads the whole file
 * into twice the memory, in three milliseconds instead of none. Throws where an escape would be another text.
 */
function inAscii(code: string): string {
  if (/raw`[^`]*[^\0-\x7f]/.test(code)) throw new Error('String.raw with characters beyond ASCII');
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return code.replace(/[^\0-\x7f]/g, escaped);
}

interface Script {
  readonly path: string;
  readonly text: string;
}

/** The text that loads scripts in a program, as the variable `$scripts`. */
async function scriptLoader(scripts: readonly Script[]): Promise<string> {
  const hash = createHash('sha256');
  for (const { path, text } of scripts.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    hash.update(`${path}\0${text}\0`);
  }
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'runtime/load-script.ts')],
    bundle: true,
    platform: 'node',
    format: 'iife',
    globalName: '$scripts',
    // An old Node must understand it, to say that it is too old.
    target: 'es2020',
    minifySyntax: true,
    minifyWhitespace: true,
    define: { BUILD: JSON.stringify(hash.digest('hex').slice(0, 16)) },
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}

function entryText(loader: string, code: string): string {
  const body = code.startsWith('#!') ? code.slice(code.indexOf('\n') + 1) : code;
  return `${START}${loader}const $later=$scripts.scriptLoader(import.meta);${asEntry(body)}`;
}

/** Says in an error which file it is about. */
function naming<T>(fileName: string, make: () => T): T {
  try {
    return make();
  } catch (thrown) {
    throw new Error(`${fileName}: ${thrown instanceof Error ? thrown.message : thrown}`);
  }
}

function file(path: string, text: string, executable: boolean): BundleFile {
  return { path, contents: Buffer.from(text), executable };
}
