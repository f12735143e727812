import { readFile } from 'node:fs/promises';
import { nameFromBytes, utf16Text } from '../../core/name-bytes.ts';
import { goErrno } from '../../go/go-texts.ts';
import { readRegularFile, readRegularFileSync } from '../../system/read-whole.ts';
import { type DecodedHooks, decodeHooks } from './decode-hooks.ts';
import type { HookFault } from './hook-fields.ts';
import { HookFileFault, readHookFile } from './read-hook-file.ts';
import { ReferenceReader } from './reference-reader.ts';
import { runTemplate } from './run-template.ts';

/** How a hook file is read. */
export interface LoadOptions {
  readonly template: boolean;
  /** What `getenv` of templates and references see. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Pipes and devices are refused, as what they give may never end. */
  readonly regularOnly?: boolean;
}

export interface LoadedHooks extends DecodedHooks {
  readonly references: readonly string[];
}

/** Reads and decodes a hook file whole. Rejects with an error whose message says why, for the log. */
export async function loadHooks(path: string, options: LoadOptions): Promise<LoadedHooks> {
  let bytes: Buffer;
  try {
    bytes = await (options.regularOnly ? readRegularFile(path) : readFile(path));
  } catch (thrown) {
    const tried = (thrown as NodeJS.ErrnoException).code === 'EISDIR' ? 'read' : 'open';
    throw new Error(`${tried} ${path}: ${goErrno(thrown)}`, { cause: thrown });
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
    return { ...decodeHooks(root, references), references: references.paths };
  } catch (thrown) {
    if (thrown instanceof HookFileFault) thrown.references = references.paths;
    throw thrown;
  }
}

/** A fault as one line, which names file and place. */
export function faultLine(path: string, { place, text, weight }: Omit<HookFault, 'isOfRule'>) {
  const before = weight === 'error' ? '' : 'warning: ';
  return `${path}: line ${place.line}, column ${place.column}: ${before}${text}`;
}

/**
 * What is wrong with hook files, one line each: what stops them from being loaded, what never works or lets in requests
 * that it should refuse, and warnings of what may be a mistake.
 */
export async function checkFiles(paths: readonly string[], options: LoadOptions) {
  const owners = new Map<string, string>();
  const faults: string[] = [];
  const warnings: string[] = [];
  for (const path of paths) {
    try {
      const loaded = await loadHooks(path, options);
      for (const [index, { id }] of loaded.hooks.entries()) {
        const owner = owners.get(id);
        const place = loaded.places[index];
        if (owner !== undefined && place !== undefined) {
          const text = `hook "${id}": duplicate id, also in ${owner}`;
          faults.push(faultLine(path, { place, text, weight: 'error' }));
        }
        owners.set(id, path);
      }
      for (const fault of loaded.faults) {
        (fault.weight === 'error' ? faults : warnings).push(faultLine(path, fault));
      }
    } catch (thrown) {
      faults.push(`${path}: ${(thrown as Error).message}`);
    }
  }
  return { faults, warnings };
}
