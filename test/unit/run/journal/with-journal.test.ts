import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type MemberOf, type MemberOfKind, membersOf } from '../../../../src/core/members.ts';
import type { FileEntry } from '../../../../src/core/remote.ts';
import { deleteOne } from '../../../../src/core/remote-calls.ts';
import { DirsBefore } from '../../../../src/run/journal/dirs-before.ts';
import { JournalFile } from '../../../../src/run/journal/journal-file.ts';
import { readChanges } from '../../../../src/run/journal/read-run.ts';
import { UNNOTED, withJournal } from '../../../../src/run/journal/with-journal.ts';
import { newTrialName } from '../../../../src/system/owner-state.ts';
import { OP, sourceOf } from '../../../support/open-s3.ts';
import { memberIn, wholeRemote } from '../../../support/whole-remote.ts';
import { newFolder, openLocal } from '../../backends/local/local-world.ts';

/** What a journal has of a file that is written under the name of a trial file, and deleted. */
async function deedsOf(content: string) {
  const folder = join(newFolder(), 'run');
  const file = new JournalFile(
    folder,
    () => {},
    () => {},
  );
  const { remote } = openLocal();
  const journaled = withJournal(remote, { file, dirsOf: () => undefined });
  const written = await journaled.write(sourceOf(newTrialName(), content), OP);
  await deleteOne(journaled, written, OP);
  file.close();
  return (await readChanges(folder))?.changes.map((change) => change.do);
}

test('a trial file is no change', async () => {
  expect(await deedsOf('')).toBeUndefined();
});

test('a file of the user that is named like a trial file is one', async () => {
  expect(await deedsOf('content')).toEqual(['create', 'delete']);
});

describe('every change of a remote', () => {
  const file: FileEntry = { kind: 'file', path: 'd/f', size: 1, modTime: 5n };
  const other = wholeRemote(() => undefined);
  type Noted = Exclude<MemberOfKind<'changes'>, keyof typeof UNNOTED>;
  type Arguments = { readonly [Name in Noted]: Parameters<MemberOf<Name>> };
  const calls: Arguments = {
    write: [sourceOf('d/f', 'x'), OP],
    delete: [[file], OP],
    makeDir: ['new', OP],
    deleteDir: ['d', OP],
    setModTime: [file, 6n, OP],
    setDirModTime: ['d', 6n, OP],
    setDirMetadata: ['d', {}, 6n, OP],
    copyFrom: [other, file, 'd/f', OP],
    moveFrom: [other, file, 'd/f', OP],
    moveDirFrom: [other, 'd', 'e', OP],
    purge: ['d', OP],
    purgeUnlisted: ['d', OP],
    'restoring.restore': [{ path: 'd/f', old: file, kept: { in: 'versions' } }, OP],
  };
  const results: Partial<Record<string, unknown>> = {
    listPage: { entries: [] },
    delete: new Map(),
    moveDirFrom: true,
    'restoring.keeps': { deleted: false, replaced: false },
    'details.read': file,
  };

  test.each(membersOf('changes'))(
    '%s is noted before it is made, or passes with a reason',
    async (name) => {
      const folder = join(newFolder(), 'run');
      const journal = new JournalFile(
        folder,
        () => {},
        () => {},
      );
      const called: string[] = [];
      let noted: unknown;
      const remote = wholeRemote(async (member, [path]) => {
        called.push(member);
        if (member === name) noted = await readChanges(folder);
        if (member === 'stat')
          return path === 'd' || path === '' ? { kind: 'dir', path } : undefined;
        return member in results ? results[member] : file;
      });
      const dirs = new DirsBefore(remote, () => {});
      const journaled = withJournal(remote, { file: journal, dirsOf: () => dirs });
      const { passes } = (UNNOTED as Partial<Record<string, { passes: string }>>)[name] ?? {};
      const args: readonly unknown[] = passes === undefined ? calls[name as Noted] : [];
      await memberIn(journaled, name)(...args);
      journal.close();
      expect(called).toContain(name);
      if (passes === undefined)
        expect(noted).toMatchObject({ changes: [{ n: expect.any(Number) }] });
      else expect([noted, passes]).toEqual([undefined, expect.stringMatching(/\w/)]);
    },
  );
});
