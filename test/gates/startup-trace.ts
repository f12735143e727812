import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bundle } from '../../scripts/bundle/bundle.ts';

/** What a program read until it ended. */
export interface StartupTrace {
  /** The source files and packages' files it loaded, relative to the project. */
  readonly inputs: readonly string[];
  /** Node's own modules that it loaded, as `process.moduleLoadList` names them. */
  readonly builtins: readonly string[];
  /** The text of the file that `bin` names, and what that file imports before anything runs. */
  readonly entry: { readonly text: string; readonly imports: readonly string[] };
}

const RECORDER = `
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { writeFileSync } from 'node:fs';
import vm from 'node:vm';
const urls = [];
const before = new Set(process.moduleLoadList);
registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
vm.Script = class extends vm.Script {
  constructor(source, options) {
    super(source, options);
    urls.push(pathToFileURL(options.filename).href);
  }
};
// What a program loads after a while (limitHeapOf) is not its start, however slow the machine is.
const { setTimeout } = globalThis;
globalThis.setTimeout = (task, ms, ...args) => setTimeout(task, 1000 * ms, ...args);
process.on('exit', () => {
  const builtins = process.moduleLoadList.filter((name) => !before.has(name));
  writeFileSync(process.env.TRACE_FILE, JSON.stringify({ urls, builtins }));
});`;

/** Bundled projects, by their root. */
const bundled = new Map<string, ReturnType<typeof bundle>>();

/**
 * Bundles the project at `root` into `folder`, runs `syncer` with `args`, and tells what that loaded.
 *
 * @param folder an empty folder outside the project
 */
export async function traceStartup(
  root: string,
  folder: string,
  args: readonly string[],
): Promise<StartupTrace> {
  const made = bundled.get(root) ?? bundle(root, 'syncer');
  bundled.set(root, made);
  const { files, parts } = await made;
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  for (const { path, contents } of files) {
    await mkdir(dirname(join(folder, 'dist', path)), { recursive: true });
    await writeFile(join(folder, 'dist', path), contents);
  }
  const recorder = join(folder, 'recorder.mjs');
  await writeFile(recorder, RECORDER);
  const traceFile = join(folder, 'trace.json');
  const entry = join(folder, 'dist/syncer.js');
  const env = { PATH: process.env['PATH'], TRACE_FILE: traceFile, HOME: folder };
  await promisify(execFile)(process.execPath, ['--import', recorder, entry, ...args], { env });

  const trace = JSON.parse(await readFile(traceFile, 'utf8')) as Record<string, string[]>;
  const outputs = (trace['urls'] ?? [])
    .filter((url) => url.startsWith('file:'))
    .map((url) => relative(join(folder, 'dist'), fileURLToPath(url)));
  const inputs = outputs.flatMap((path) => parts[path]?.inputs ?? []);
  return {
    inputs: [...new Set(inputs)],
    builtins: trace['builtins'] ?? [],
    entry: {
      text: await readFile(entry, 'utf8'),
      imports: parts['syncer.js']?.imports ?? [],
    },
  };
}
