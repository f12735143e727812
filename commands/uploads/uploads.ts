import { SyncerError } from '../../src/core/errors.ts';
import { modTimeToMs } from '../../src/core/mod-time.ts';
import type { FileEntry, Op, Remote } from '../../src/core/remote.ts';
import { joinPath } from '../../src/core/remote-path.ts';
import { alignedRows, counted } from '../../src/core/shown-text.ts';
import { destroyVersions } from '../../src/engine/loss/delete-files.ts';
import { type Loss, loseOne } from '../../src/engine/loss/lose.ts';
import { formatSize } from '../../src/go/quantities.ts';
import { runAttempts } from '../../src/run/transfer/run-attempts.ts';
import type {
  Changing,
  CommandCall,
  Remotes,
  StandardOutput,
} from '../../src/shell/command-line/command.ts';
import { ago } from '../../src/terminal/time-texts.ts';
import type { UPLOADS_FLAGS } from './command.ts';

type UploadsNeeds = CommandCall<typeof UPLOADS_FLAGS> & Remotes & StandardOutput & Changing;

export async function uploadsCommand(invocation: UploadsNeeds): Promise<void> {
  const [word, spec] = invocation.args;
  if (spec === undefined) {
    throw new SyncerError('usage', 'uploads takes a subcommand: use uploads ls or uploads abort');
  }
  const remote = await invocation.remotes.openDir(spec);
  await (word === 'abort' ? abortUploads(invocation, remote) : listUploads(invocation, remote));
}

async function listUploads(
  invocation: CommandCall<typeof UPLOADS_FLAGS> & Remotes & StandardOutput,
  remote: Remote,
): Promise<void> {
  const { context, flags, out } = invocation;
  const now = context.clock.now();
  const found: FileEntry[] = [];
  for await (const upload of uploadsOf(invocation, remote, context)) found.push(upload);
  if (flags['uploads-json']) {
    const records = found.map((upload) => {
      const begun = beginOf(upload);
      return {
        Path: pathOf(remote, upload),
        Size: upload.size,
        Parts: upload.kept?.parts ?? 0,
        Begun: begun === undefined ? null : new Date(begun).toISOString(),
        Tier: upload.tier ?? '',
        ID: upload.kept?.id.split('\n', 1)[0] ?? '',
      };
    });
    return out.write(`${JSON.stringify(records, null, 2)}\n`);
  }
  const rows = found.map((upload) => {
    const parts = `${upload.kept?.parts ?? 0}`;
    const begun = beginOf(upload);
    const age = begun === undefined ? '-' : ago(now - begun);
    return [formatSize(upload.size), parts, age, pathOf(remote, upload)];
  });
  if (rows.length > 0) rows.unshift(['bytes', 'parts', 'begun', 'path']);
  for (const line of alignedRows(rows, undefined, 2)) await out.write(`${line}\n`);
}

async function abortUploads(invocation: UploadsNeeds, remote: Remote): Promise<void> {
  const { out } = invocation;
  await runAttempts(invocation, async (run) => {
    for await (const upload of uploadsOf(invocation, remote, run.op)) {
      const about = pathOf(remote, upload);
      const words = 'abort the upload of';
      const change = { do: 'other', words, about, size: upload.size } as const;
      const loss: Loss = {
        remote,
        why: 'deleted',
        ask: { each: () => change },
        nameOf: () => `${about} (unfinished upload)`,
      };
      try {
        const destroy = () => destroyVersions(remote, [upload], run.op);
        if ((await loseOne(run, loss, upload, destroy)) !== 'gone') continue;
        const what = `${counted(upload.kept?.parts ?? 0, 'part')}, ${formatSize(upload.size)}`;
        await out.write(`Aborted the upload of ${about} (${what})\n`);
      } catch (thrown) {
        run.fail(thrown, about, 'delete');
      }
    }
  });
}

/** The unfinished uploads of a remote's root, as a file or a directory, by the flags. Rejects with `unsupported`. */
async function* uploadsOf(
  invocation: CommandCall<typeof UPLOADS_FLAGS> & Remotes,
  remote: Remote,
  { signal }: Op,
): AsyncGenerator<FileEntry> {
  const olderThanMs = invocation.flags['uploads-older-than'];
  const nowMs = invocation.beganMs;
  const filter = await invocation.filter();
  const { listUploads } = remote.can;
  if (listUploads === undefined) {
    throw new SyncerError('unsupported', `${remote.title} has no list of unfinished uploads`);
  }
  for await (const uploads of listUploads('', { signal })) {
    for (const upload of uploads) {
      const begun = beginOf(upload);
      const isOld = olderThanMs === undefined || (begun ?? nowMs) <= nowMs - olderThanMs;
      if (isOld && filter.keepFile(upload)) yield upload;
    }
  }
}

function beginOf({ modTime }: FileEntry): number | undefined {
  return modTime === undefined ? undefined : modTimeToMs(modTime);
}

const pathOf = (remote: Remote, { path }: FileEntry): string => joinPath(remote.root, path);
