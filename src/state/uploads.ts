import { hasCode } from '../core/errors.ts';
import { nameFromBytes, nameToBytes } from '../core/name-bytes.ts';
import {
  KEPT_DAYS,
  type ListedRecord,
  type RecordedPart,
  type UploadHead,
  type UploadRecord,
  type UploadRecords,
} from '../core/upload-records.ts';
import { machineBoot, ownerState, ownMark } from '../system/owner-state.ts';
import type { Database, TableRow, Value } from './database.ts';
import type { Stores } from './stores.ts';

const DAY_MS = 86_400_000;

/** Whether something is sent to a server or drive, or received. */
export type RecordKind = 'upload' | 'download';

/** The records of unfinished transfers in the state. What fails costs a resume, and nothing else. */
export function uploadRecords(
  kind: RecordKind,
  stores: Pick<Stores, 'look' | 'tryState'>,
  clockNow: () => number,
): UploadRecords {
  const now = () => Math.trunc(clockNow());
  let opened: Database | undefined;
  const change = <T>(work: (state: Database) => T): Promise<T | undefined> =>
    stores.tryState(undefined, (state) => {
      opened = state;
      return work(state);
    });
  /** The same for one statement, which takes a third of the time if no other program is in the way. */
  const changeOnce = async <T>(work: (state: Database) => T): Promise<T | undefined> => {
    try {
      if (opened !== undefined) return work(opened);
    } catch (thrown) {
      if (!hasCode(thrown, 'locked')) return undefined;
    }
    return change(work);
  };
  /** With the time when one was created or a part added. */
  const rowsOf = <T>(
    recordOf: (row: TableRow, state: Database) => T,
    where: string,
    ...values: Value[]
  ): Promise<T[]> => {
    const sql = `SELECT * FROM (
      SELECT *, max(created_ms, ifnull((SELECT max(added_ms) FROM upload_parts WHERE upload = id), 0))
        AS touched_ms FROM uploads) WHERE kind = ? ${where}`;
    const found = stores.look([], (state) =>
      state.all(sql, kind, ...values).map((row) => recordOf(row, state)),
    );
    return found.catch(() => []);
  };
  /** Takes over those that no process has by now. */
  const take = async (rows: readonly TableRow[]): Promise<UploadRecord[]> => {
    if (rows.length === 0) return [];
    const { machine, boot } = machineBoot();
    const sql = `UPDATE uploads SET owner = ?, machine = ?, boot = ?
      WHERE id = ? AND owner IS ? RETURNING id`;
    const taken = await change((state) =>
      rows
        .filter((row) => hasNoOwner(row, now()))
        .filter(({ id = 0, owner = null }) => state.get(sql, ownMark(), machine, boot, id, owner))
        .map((row) => recordAt(Number(row['id']), headOf(row), partsOf(state, row))),
    );
    return taken ?? [];
  };
  const recordAt = (
    id: number | undefined,
    head: UploadHead,
    parts: readonly RecordedPart[],
  ): UploadRecord => {
    /** What lacks a part cannot be resumed. */
    let isWhole = id !== undefined;
    const own = 'WHERE id = ? AND owner = ?';
    const ofOurs = (sql: string, work: (state: Database) => void) =>
      change((state) => {
        const isOurs = state.run(`${sql} ${own}`, id ?? 0, ownMark()) > 0;
        if (isOurs) work(state);
        return isOurs;
      });
    return {
      head,
      parts,
      async add({ number, size, etag, md5, crc32 = null }) {
        if (!isWhole) return;
        const sql = `INSERT OR REPLACE INTO upload_parts
          SELECT id, ?, ?, ?, ?, ?, ? FROM uploads ${own}`;
        const values = [number, size, etag, md5, crc32, now(), id ?? 0, ownMark()];
        isWhole = (await changeOnce((state) => state.run(sql, ...values))) === 1;
      },
      async release() {
        if (id === undefined) return false;
        return (await ofOurs('UPDATE uploads SET owner = NULL', () => {})) === true;
      },
      async delete() {
        if (id === undefined) return;
        await ofOurs('DELETE FROM uploads', (state) => {
          state.run('DELETE FROM upload_parts WHERE upload = ?', id);
        });
      },
    };
  };
  return {
    async list(store) {
      const recordOf = (row: TableRow, state: Database): ListedRecord => ({
        head: headOf(row),
        parts: partsOf(state, row),
        touchedMs: Number(row['touched_ms']),
        isRunning: !hasNoOwner(row, now()),
      });
      return store === undefined ? rowsOf(recordOf, '') : rowsOf(recordOf, 'AND store = ?', store);
    },
    async take(store, path) {
      const where = 'AND store = ? AND path = ? ORDER BY touched_ms DESC, id DESC';
      return take(await rowsOf((row) => row, where, store, nameToBytes(path)));
    },
    async takeOld(store) {
      const where = 'AND store = ? AND touched_ms < ?';
      return take(await rowsOf((row) => row, where, store, now() - KEPT_DAYS * DAY_MS));
    },
    async create(head) {
      const { store, path, ...rest } = head;
      const { machine, boot } = machineBoot();
      const sql = `INSERT INTO uploads (kind, store, path, head, owner, machine, boot, created_ms)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`;
      const place = [kind, store, nameToBytes(path), JSON.stringify(rest)];
      const id = await change((state) => state.get(sql, ...place, ownMark(), machine, boot, now()));
      return recordAt(id === undefined ? undefined : Number(id['id']), head, []);
    },
  };
}

function headOf({ store, path, head }: TableRow): UploadHead {
  const rest = JSON.parse(String(head)) as Omit<UploadHead, 'store' | 'path'>;
  return { store: String(store), path: nameFromBytes(path as Uint8Array), ...rest };
}

function partsOf(state: Database, { id = 0 }: TableRow): RecordedPart[] {
  const sql = 'SELECT number, size, etag, md5, crc32 FROM upload_parts WHERE upload = ?';
  return state.all(sql, id).map(({ crc32, ...part }) => {
    const known = crc32 === null ? {} : { crc32: Number(crc32) };
    return { ...part, ...known } as unknown as RecordedPart;
  });
}

/**
 * Whether the process of a record has ended. On another machine or in another container that is unknown: a record
 * counts as left behind if nothing was added for a day.
 */
function hasNoOwner(row: TableRow, nowMs: number): boolean {
  if (row['owner'] === null) return true;
  const of = { machine: String(row['machine']), boot: String(row['boot']) };
  const state = ownerState(String(row['owner']), of);
  if (state !== 'elsewhere') return state === 'dead';
  return Number(row['touched_ms']) < nowMs - DAY_MS;
}
