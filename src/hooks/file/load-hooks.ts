import { readFile } from 'node:fs/promises';
import { nameFromBytes } from '../../core/name-bytes.ts';
import { runTemplate } from '../template/run-template.ts';
import { decodeHooks } from './decode-hooks.ts';
import type { Hook } from './hook.ts';
import { readHookFile } from './read-hook-file.ts';

/** How a hook file is read. */
export interface LoadOptions {
  /** It is a Go template. */
  readonly template: boolean;
  /** What `getenv` of templates sees. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Reads and decodes a hook file whole. Rejects with an error whose message says why, for the log. */
export async function loadHooks(path: string, options: LoadOptions): Promise<Hook[]> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (thrown) {
    throw new Error(readFailure(path, thrown), { cause: thrown });
  }
  return decodeHookText(bytes, options);
}

/** The same from the content of a file. */
export async function decodeHookText(bytes: Uint8Array, options: LoadOptions): Promise<Hook[]> {
  const text = nameFromBytes(bytes);
  if (!text.isWellFormed()) throw new Error('the file is not UTF-8');
  return decodeHooks(await readHookFile(options.template ? runTemplate(text, options.env) : text));
}

function readFailure(path: string, thrown: unknown): string {
  const code = (thrown as NodeJS.ErrnoException).code ?? '';
  if (code === 'ENOENT') return `open ${path}: no such file or directory`;
  if (code === 'EACCES') return `open ${path}: permission denied`;
  if (code === 'EISDIR') return `read ${path}: is a directory`;
  return `open ${path}: ${(thrown as Error).message}`;
}
