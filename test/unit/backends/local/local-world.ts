import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { localRemote } from '../../../../src/backends/local/local-remote.ts';
import {
  type LocalSettings,
  localSettings,
} from '../../../../src/backends/local/local-settings.ts';
import { collectBody } from '../../../../src/core/body.ts';
import { type Clock, systemClock } from '../../../../src/core/context.ts';
import type { SyncerEvent } from '../../../../src/core/events.ts';
import type { FileEntry, Op, Remote, WriteSource } from '../../../../src/core/remote.ts';
import { listDir } from '../../../../src/core/remote-calls.ts';
import { messageOf } from '../../../../src/shell/log/words.ts';

export const OP: Op = { signal: new AbortController().signal };

/** A local remote in a folder of its own. */
export interface LocalWorld {
  readonly remote: Remote;
  readonly dir: string;
  readonly events: SyncerEvent[];
}

/** A new folder, removed when the test ends. */
export function newFolder(within = tmpdir()): string {
  const dir = mkdtempSync(join(within, 'syncer-local-'));
  chmodSync(dir, 0o755);
  onTestFinished(() => {
    // A user cannot delete what may not be read or entered.
    if (process.getuid?.() !== 0) spawnSync('chmod', ['-R', 'u+rwX', dir]);
    rmSync(dir, { recursive: true, force: true });
  });
  return dir;
}

/** Opens a remote at `dir`, which is a new folder where it is not given. */
export function openLocal(
  options: Record<string, string> = {},
  dir = newFolder(),
  more: Partial<LocalSettings> = {},
  clock: Clock = systemClock,
): LocalWorld {
  const events: SyncerEvent[] = [];
  const context = {
    signal: OP.signal,
    clock,
    emit: (event: SyncerEvent) => events.push(event),
  };
  const settings = { ...localSettings({ name: '', root: dir, options }), ...more };
  return { remote: localRemote(settings, context), dir, events };
}

/** The names in a directory, directories with a slash. */
export async function names(remote: Remote, dir = ''): Promise<string[]> {
  const found: string[] = [];
  for await (const page of listDir(remote, dir, OP, () => {})) {
    for (const { path, kind } of page) {
      found.push(path.slice(dir === '' ? 0 : dir.length + 1) + (kind === 'dir' ? '/' : ''));
    }
  }
  return found;
}

/** The log lines, as the text log shows them. */
export function logLines({ events }: LocalWorld): string[] {
  return events.flatMap((event) =>
    event.type === 'log' ? [`${event.level}: ${event.path}: ${messageOf(event)}`] : [],
  );
}

/** The entry of a file that must exist. */
export async function fileAt(remote: Remote, path: string): Promise<FileEntry> {
  const entry = await remote.stat(path, OP);
  if (entry?.kind !== 'file') throw new Error(`no file at ${path}`);
  return entry;
}

/** The content of a file as text. */
export async function textOf(remote: Remote, file: FileEntry): Promise<string> {
  return (await collectBody(await remote.read(file, undefined, OP), OP.signal)).toString();
}

/** A source with this text. */
export function textSource(path: string, text: string): WriteSource {
  const content = Buffer.from(text);
  return {
    path,
    size: content.length,
    modTime: 1_600_000_000_000_000_000n,
    seekable: true,
    open: async (range) =>
      content.subarray(
        range?.offset ?? 0,
        range?.length === undefined ? undefined : range.offset + range.length,
      ),
  };
}

/** What of temporary files lies below a folder. */
export function partials(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.includes('.syncer-partial-'),
  );
}

/** Runs as somebody who is not root, whom permissions would not stop. */
export async function asUser<T>(work: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return work();
  process.seteuid?.(65_534);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}
