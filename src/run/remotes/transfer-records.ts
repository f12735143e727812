import { readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { EarlierUploads } from '../../backends/backend.ts';
import { stateDir } from '../../config/config-path.ts';
import type { PartCopies, ProbeNotes } from '../../core/content-pieces.ts';
import type { Context } from '../../core/context.ts';
import { toSyncerError } from '../../core/errors.ts';
import { once } from '../../core/once.ts';
import type { UploadRecordsAccess } from '../../core/upload-records.ts';
import { logText } from '../../shell/log/log-text.ts';
import type { Notes } from '../../state/notes.ts';
import type { Stores } from '../../state/stores.ts';
import type { RecordKind } from '../../state/uploads.ts';

/** Less is sent again: to look for it costs requests, and to keep it money. In bytes. */
const RESUMED_FROM = 64 << 20;

/** Where transfers that were interrupted are recorded; absent: nowhere. */
export interface TransferRecords {
  readonly uploads?: UploadRecordsAccess;
  readonly downloads?: UploadRecordsAccess;
}

/** The records of unfinished transfers, in the state; none for a user without a home. */
export function transferRecords(
  context: Pick<Context, 'clock' | 'emit'>,
  env: NodeJS.ProcessEnv,
  stores: Stores | undefined,
): TransferRecords {
  const dir = stateDir(env);
  if (dir === undefined || stores === undefined) return {};
  const recordsOf = (kind: RecordKind): UploadRecordsAccess => ({
    from: RESUMED_FROM,
    open: once(async () => {
      nameEarlier(join(dir, `${kind}s`), kind, context);
      const { uploadRecords } = await import('../../state/uploads.ts');
      return uploadRecords(kind, stores, () => context.clock.now());
    }),
  });
  return { uploads: recordsOf('upload'), downloads: recordsOf('download') };
}

/** What is noted of uploads for later ones; absent: nothing. */
export interface UploadNotes extends Pick<EarlierUploads, 'pieces' | 'probes'> {}

/** The pieces of large objects, in the cache, and what probes have shown of buckets, in the state. */
export function uploadNotes(
  { clock, emit }: Pick<Context, 'clock' | 'emit'>,
  stores: Stores | undefined,
): UploadNotes {
  if (stores === undefined) return {};
  const onTrouble = (what: string) => (thrown: unknown) =>
    emit(logText('debug', `${what}: ${toSyncerError(thrown).message}`));
  return {
    pieces: once(async () => {
      const { pieceNotes } = await import('../../caches/piece-notes.ts');
      return pieceNotes({ stores, clock, onTrouble: onTrouble('Large objects are not noted') });
    }),
    probes: once(async () => {
      const { Notes } = await import('../../state/notes.ts');
      return probeNotes(Notes, stores, onTrouble('What a probe has shown is not kept'));
    }),
  };
}

type Probed = PartCopies & { readonly path: string };

function probeNotes(
  { open }: typeof Notes,
  stores: Stores,
  onTrouble: (thrown: unknown) => void,
): ProbeNotes {
  const of = (store: string) => ({ kind: 'part-copies', store, stores, onTrouble }) as const;
  const notesOf = (store: string) =>
    open<Probed>(of(store)).catch((thrown) => {
      onTrouble(thrown);
      return undefined;
    });
  return {
    async find(store, bucket) {
      return (await notesOf(store))?.at(bucket).at(-1);
    },
    async learn(store, bucket, shown) {
      const notes = await notesOf(store);
      if (notes === undefined) return false;
      const earlier = notes.at(bucket);
      const isStored = await notes.add({ path: bucket, ...shown });
      for (const note of earlier) await notes.erase(note);
      return isStored;
    },
  };
}

/** Names the records of a version that had a file for each, once: they are moved aside. */
function nameEarlier(directory: string, kind: RecordKind, { emit }: Pick<Context, 'emit'>): void {
  const aside = `${directory}.earlier`;
  try {
    if (!readdirSync(directory).some((name) => name.endsWith('.jsonl'))) return;
    renameSync(directory, aside);
  } catch {
    return;
  }
  const text = `Unfinished ${kind}s of an earlier version are not resumed; their records are now in ${aside}`;
  const end =
    kind === 'upload'
      ? '"syncer uploads ls remote:bucket" lists what a server keeps of them'
      : '"syncer cleanup" deletes the files below a directory that they left';
  emit(logText('notice', `${text}; ${end}`));
}
