import { harmlessJson, harmlessLine } from '../../src/core/harmless.ts';
import { modTimeToMs } from '../../src/core/mod-time.ts';
import type { Remote } from '../../src/core/remote.ts';
import { leafName } from '../../src/core/remote-path.ts';
import { runTimeMs } from '../../src/core/run-id.ts';
import { formatSize } from '../../src/go/byte-size.ts';
import type { Invocation } from '../../src/shell/command-line/command.ts';
import { localTime } from '../../src/terminal/time-texts.ts';
import type { TRASH_FLAGS } from './command.ts';
import { chooseTrash, refusePart } from './read-trash.ts';
import type { TrashedFile } from './trashed-file.ts';

const SIZE = 9;
const WHY = 'replaced'.length;

/** `syncer trash ls`: a line for each file, the newest run first. */
export async function listTrash(
  invocation: Invocation<typeof TRASH_FLAGS>,
  remote: Remote,
): Promise<void> {
  const { flags, out } = invocation;
  const chosen = await chooseTrash(invocation, remote);
  const { files } = chosen;
  if (flags['trash-json']) {
    const records = files.map((file) => `\n${harmlessJson(JSON.stringify(record(file)))}`);
    await out.write(records.length === 0 ? '[]\n' : `[${records.join(',')}\n]\n`);
  }
  for (const file of flags['trash-json'] ? [] : files) {
    const { runId, why = '-', old } = file;
    const size = formatSize(old.size).padStart(SIZE);
    const at = localTime(runTimeMs(runId));
    await out.write(
      `${size}  ${at}  ${runId}  ${why.padEnd(WHY)}  ${harmlessLine(nameOf(file))}\n`,
    );
  }
  refusePart(chosen);
}

/** What a file is called below the remote; the remote may be the file itself. */
export function nameOf({ shown, path }: TrashedFile): string {
  return shown === '' ? leafName(path) : shown;
}

function record(file: TrashedFile) {
  const { runId, why, old, kept, stored } = file;
  const ms = stored?.modTime === undefined ? undefined : modTimeToMs(stored.modTime);
  return {
    Path: nameOf(file),
    Size: old.size,
    ModTime: old.time ?? (ms === undefined ? null : new Date(ms).toISOString()),
    Run: runId,
    RunTime: new Date(runTimeMs(runId)).toISOString(),
    Change: why ?? null,
    Kept: kept.in,
    ...(kept.in === 'trash' && { KeptPath: kept.path }),
  };
}
