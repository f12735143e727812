import { crc32 } from 'node:zlib';
import { ownerState } from '../system/owner-state.ts';
import type { Database } from './database.ts';

/** What a run with `--checkpoint` has recorded. */
export interface SavedCheckpoint {
  /** When the run began that made it, in milliseconds since the epoch. */
  readonly begunMs: number;
  /** Its ledger, as JSON. */
  readonly ledger: string;
}

/**
 * Takes the checkpoint of a run for this process, unless another one on this machine has it and still runs. A process
 * elsewhere that still runs loses it.
 *
 * @param mark of this process (`ownMark`)
 */
export function takeCheckpoint(
  state: Database,
  key: string,
  mark: string,
): { readonly isOurs: boolean; readonly found?: SavedCheckpoint } {
  const row = state.get('SELECT * FROM checkpoints WHERE key = ?', key);
  if (row === undefined) return { isOurs: true };
  const [owner, ledger] = [String(row['owner']), String(row['ledger'])];
  if (owner !== mark && ownerState(owner) === 'alive') return { isOurs: false };
  state.run('UPDATE checkpoints SET owner = ? WHERE key = ?', mark, key);
  if (row['sum'] !== sumOf(key, ledger)) return { isOurs: true };
  return { isOurs: true, found: { begunMs: Number(row['begun_ms']), ledger } };
}

/** Records what is done by now. Returns `false`, and changes nothing, if another process has taken the checkpoint. */
export function saveCheckpoint(
  state: Database,
  key: string,
  mark: string,
  { begunMs, ledger }: SavedCheckpoint,
): boolean {
  const sql = `INSERT INTO checkpoints (key, owner, begun_ms, ledger, sum) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (key) DO UPDATE SET
      begun_ms = excluded.begun_ms, ledger = excluded.ledger, sum = excluded.sum
      WHERE owner = excluded.owner`;
  return state.run(sql, key, mark, begunMs, ledger, sumOf(key, ledger)) > 0;
}

/** Deletes the checkpoint of a run, unless another process has taken it. */
export function endCheckpoint(state: Database, key: string, mark: string): void {
  state.run('DELETE FROM checkpoints WHERE key = ? AND owner = ?', key, mark);
}

/** A changed digit is a number, too. */
const sumOf = (key: string, ledger: string): number => crc32(`${key}\n${ledger}`);
