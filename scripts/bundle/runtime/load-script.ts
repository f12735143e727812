import { compiledCode } from './compiled-code.ts';

/** Where the files of a single executable seem to lie. No such folder has to be there. */
export const EXECUTABLE_HOME = 'file:///$syncer/';

type Exports = Readonly<Record<string, unknown>>;

/** The value of a script of the bundle; see `asScript`. */
interface ScriptParts {
  /** Names of the files that it imports at once. */
  readonly imports: readonly string[];
  run(
    load: (name: string) => Exports | undefined,
    later: (name: string) => Promise<Exports>,
    node: (name: string) => Promise<object>,
    meta: Pick<ImportMeta, 'url' | 'resolve'>,
  ): Exports | Promise<Exports>;
}

/**
 * What takes the place of `import()` in a program of the bundle: loads a file below `chunks` and all that it imports,
 * each once, and resolves to what it exports.
 *
 * @param entry `import.meta` of the program's first file
 */
export function scriptLoader(entry: ImportMeta): (name: string) => Promise<Exports> {
  const loads = new Map<string, Promise<Exports>>();
  const loaded = new Map<string, Exports>();
  let compile: ReturnType<typeof compiledCode> | undefined;
  const load = async (name: string): Promise<Exports> => {
    const url = new URL(`chunks/${name}`, entry.url);
    compile = compile || compiledCode();
    const script = compile(name, url.pathname, sourceOf(url)) as ScriptParts;
    for (const other of script.imports) await later(other);
    const meta = { url: url.href, resolve: (specifier: string) => entry.resolve(specifier) };
    const exports = await script.run((other) => loaded.get(other), later, nodeModule, meta);
    loaded.set(name, exports);
    return exports;
  };
  const later = (name: string): Promise<Exports> => {
    const loading = loads.get(name) || load(name);
    loads.set(name, loading);
    return loading;
  };
  return later;
}

/** One of Node's modules, as `import()` has it. */
async function nodeModule(name: string): Promise<object> {
  const module = process.getBuiltinModule(name);
  return { __proto__: module, default: module };
}

/** The text of a file, which is in ASCII. */
function sourceOf(url: URL): string {
  if (url.href.startsWith(EXECUTABLE_HOME)) {
    const { getRawAsset } = process.getBuiltinModule('node:sea');
    const asset = getRawAsset(url.href.slice(EXECUTABLE_HOME.length));
    return Buffer.from(asset as ArrayBuffer).toString('latin1');
  }
  return process.getBuiltinModule('node:fs').readFileSync(url, 'latin1');
}
