import { SyncerError } from '../../src/core/errors.ts';
import { OWN_NAMES } from '../../src/core/own-names.ts';
import { joinPath } from '../../src/core/remote-path.ts';
import { mayChange } from '../../src/engine/consent.ts';
import {
  GuardRecords,
  placeKey,
  readMarker,
  writeMarker,
} from '../../src/run/guards/guard-records.ts';
import { openDirectory } from '../../src/run/remotes/file-or-directory.ts';
import type {
  CommandCall,
  Environment,
  Remotes,
  StandardOutput,
  UnderConsent,
} from '../../src/shell/command-line/command.ts';
import { putMarker } from '../../src/state/guards.ts';

type GuardNeeds = CommandCall & Environment & Remotes & StandardOutput & UnderConsent;

export async function guardCommand(invocation: GuardNeeds): Promise<void> {
  const [name, ...args] = invocation.args;
  if (name !== 'init') throw new SyncerError('usage', 'use syncer guard init remote:path');
  return init({ ...invocation, args });
}

/** Creates the marker of a directory if it has none, and remembers its value. */
async function init(invocation: GuardNeeds): Promise<void> {
  const { context, out, args } = invocation;
  const records = new GuardRecords(invocation.context, invocation);
  const remote = await openDirectory(invocation);
  const [spec = ''] = args;
  const there = await remote.stat('', context);
  if (there === undefined && remote.traits.emptyDirs) {
    throw new SyncerError('directory-not-found', `directory not found: ${spec}`, { path: spec });
  }
  const found = await readMarker(remote, OWN_NAMES.guard, context);
  const path = joinPath(spec.replace(/\/$/, ''), OWN_NAMES.guard);
  if (found === '') throw new SyncerError('already-exists', `${path} is not a marker of syncer`);
  const change = { do: 'other', words: 'create marker', about: path } as const;
  if (!(await mayChange(invocation, change))) return;
  const value = found ?? (await writeMarker(remote, OWN_NAMES.guard, context));
  await records.write((state) => putMarker(state, placeKey(remote), value, false));
  const did = found === undefined ? 'Created' : 'Remembered';
  await out.write(`${did} ${path}. --guard marker deletes nothing if it is missing.\n`);
}
