import { readFile } from 'node:fs/promises';
import { nameFromBytes, utf16Text } from '../../core/name-bytes.ts';
import { goErrno } from '../../go/go-errno.ts';
import { readRegularFile, readRegularFileSync } from '../../system/read-whole.ts';
import { runTemplate } from '../template/run-template.ts';
import { decodeHooks } from './decode-hooks.ts';
import type { Hook } from './hook.ts';
import { HookFileFault, type HookFileNode, readHookFile } from './read-hook-file.ts';
import { ReferenceReader } from './reference-reader.ts';

/** How a hook file is read. */
export interface LoadOptions {
  readonly template: boolean;
  /** What `getenv` of templates and references see. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Pipes and devices are refused, as what they give may never end. */
  readonly regularOnly?: boolean;
}

/** What a hook file holds. */
export interface LoadedHooks {
  readonly hooks: readonly Hook[];
  /** The file as it was written, for checks that need places. */
  readonly root: HookFileNode;
  readonly references: readonly string[];
}

/** Reads and decodes a hook file whole. Rejects with an error whose message says why, for the log. */
export async function loadHooks(path: string, options: LoadOptions): Promise<LoadedHooks> {
  let bytes: Buffer;
  try {
    bytes = await (options.regularOnly ? readRegularFile(path) : readFile(path));
  } catch (thrown) {
    throw new Error(readFailure(path, thrown), { cause: thrown });
  }
  return decodeHookText(bytes, options);
}

/** The same from the content of a file. */
export async function decodeHookText(
  bytes: Uint8Array,
  options: LoadOptions,
): Promise<LoadedHooks> {
  const text = utf16Text(bytes) ?? nameFromBytes(bytes);
  if (!text.isWellFormed()) throw new Error('the file is not UTF-8');
  const root = await readHookFile(options.template ? runTemplate(text, options.env) : text);
  const read = options.regularOnly ? { read: readRegularFileSync } : {};
  const references = new ReferenceReader({ env: options.env, ...read });
  try {
    return { hooks: decodeHooks(root, references), root, references: references.paths };
  } catch (thrown) {
    if (thrown instanceof HookFileFault) thrown.references = references.paths;
    throw thrown;
  }
}

/** Whether the content of a file can be loaded. */
export async function isHookText(bytes: Uint8Array, options: LoadOptions): Promise<boolean> {
  return await decodeHookText(bytes, options).then(
    () => true,
    () => false,
  );
}

function readFailure(path: string, thrown: unknown): string {
  const { code } = thrown as NodeJS.ErrnoException;
  return `${code === 'EISDIR' ? 'read' : 'open'} ${path}: ${goErrno(thrown)}`;
}
