import fs from 'node:fs';
import type { Metadata } from '../../core/entry-details.ts';
import { type ErrorDetails, SyncerError } from '../../core/errors.ts';
import type { ModTime } from '../../core/mod-time.ts';
import { nameToBytes } from '../../core/name-bytes.ts';
import { AttributeError, fsError, showPath } from './fs-error.ts';
import { fsPath } from './fs-path.ts';
import type { LocalDisk } from './local-disk.ts';
import {
  attributesOf,
  type MetadataPlan,
  planMetadata,
  refuseAttributes,
} from './metadata-plan.ts';
import { giveTo, replacedFile } from './replaced-file.ts';

interface NewFile {
  /** Its temporary path. */
  readonly native: string;
  /** Its final path, for messages. */
  readonly target: string;
  /** As the user knows it. */
  readonly path: string;
  /** It is a directory, which keeps what the metadata do not say. */
  readonly isDir?: boolean;
  /** It gets back what it had: its special bits, too, whatever the configuration says. */
  readonly isRestored?: boolean;
}

/**
 * Sets metadata and time of a new file as far as possible; resolves to all failures as one. A link keeps its
 * permissions.
 *
 * @param modTime `undefined`: it stays as it is
 */
export async function writeMetadata(
  disk: LocalDisk,
  file: NewFile,
  metadata: Metadata,
  modTime: ModTime | undefined,
): Promise<SyncerError | undefined> {
  const withSpecialBits = file.isRestored === true || disk.settings.restoresSpecialBits;
  const { owner, mode, ...plan } = planMetadata(metadata, withSpecialBits);
  const path = fsPath(file.native);
  for (const key of plan.senseless) {
    const event = { code: 'metadata-unreadable', fields: { key, value: metadata[key] } } as const;
    disk.context.emit({ type: 'log', level: 'notice', path: file.path, ...event });
  }
  const isDir = file.isDir === true;
  const isLink = !isDir && disk.isLink(file.path);
  const replaced =
    isLink || isDir ? undefined : replacedFile(file.target, disk.settings.links === 'translate');
  const failures: SyncerError[] = [];
  const attempt = (what: string, call: string, work: () => void) => {
    try {
      work();
    } catch (thrown) {
      const { message } = fsError(thrown, call, file.target);
      failures.push(failed(`failed to ${what}: ${message}`, thrown));
    }
  };
  // Writers of the file may set attributes, only its owner the rest: these come last.
  await setAttributes(disk, file, plan.attributes, failures);
  attempt('change permissions', 'chmod', () => {
    const plain = mode === undefined ? undefined : mode & 0o777;
    const wanted = plain ?? (isDir ? undefined : (replaced?.mode ?? disk.fileMode));
    if (isLink || wanted === undefined || (isDir && modeOf(path) === mode)) return;
    fs.chmodSync(path, wanted);
  });
  const setTimes = await disk.setTimes();
  attempt('set times', 'chtimes', () => {
    if (modTime === undefined && plan.accessTime === undefined) return;
    const time = modTime ?? fs.lstatSync(path, { bigint: true }).mtimeNs;
    setTimes(file.native, time, plan.accessTime);
  });
  const before = failures.length;
  attempt('change ownership', 'chown', () => {
    if (owner !== undefined) fs.lchownSync(path, owner.uid, owner.gid);
    else if (replaced !== undefined) giveTo(file.native, replaced);
  });
  // Only now: a change of the owner clears these bits, and no other owner may have them in between.
  if (mode !== undefined && mode > 0o777 && !isLink && failures.length === before) {
    attempt('change permissions', 'chmod', () => {
      if (!isDir || modeOf(path) !== mode) fs.chmodSync(path, mode);
    });
  }
  if (failures.length === 0) return undefined;
  const texts = failures.map(({ message }) => message).join('; ');
  return failed(`failed to set metadata: ${texts}`, failures[0], {
    path: file.path,
    advice: 'run as a user who may set it, or copy without --metadata',
  });
}

/** All bits of a mode. */
function modeOf(path: string | Buffer): number {
  return fs.lstatSync(path).mode & 0o7777;
}

async function setAttributes(
  disk: LocalDisk,
  { native, target }: NewFile,
  wanted: MetadataPlan['attributes'],
  failures: SyncerError[],
): Promise<void> {
  if (wanted.length === 0) return;
  const attributes = await attributesOf(disk);
  if (attributes === undefined) return;
  for (const [name, value] of wanted) {
    try {
      attributes.set(native, name, nameToBytes(value));
    } catch (thrown) {
      if (!(thrown instanceof AttributeError)) throw thrown;
      if (thrown.isUnsupported) {
        return refuseAttributes(disk, `${thrown.message}: ${showPath(target)} ${name}`);
      }
      const message = `failed to set xattr key "${name}" of ${showPath(target)}: ${thrown.message}`;
      failures.push(failed(message, thrown));
    }
  }
}

function failed(message: string, cause: unknown, more: ErrorDetails = {}): SyncerError {
  return new SyncerError('metadata', message, { ...more, cause });
}
