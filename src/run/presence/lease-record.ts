/** Who holds a remote lock: the content of `.syncer-lock`. */
export interface LeaseRecord {
  readonly id: string;
  readonly host: string;
  /** The command line without secrets. */
  readonly command: string;
  /** Counts the holders. */
  readonly generation: number;
  /** Counts the renewals, so that each changes the file. */
  readonly beat: number;
  /** Its run is over. */
  readonly isReleased: boolean;
}

/** A record as the text of its file. */
export function formatLease(record: LeaseRecord): string {
  return `${JSON.stringify(record)}\n`;
}

/** The record in the text of a file; `undefined` if it is none. */
export function parseLease(text: string): LeaseRecord | undefined {
  let record: Partial<Record<keyof LeaseRecord, unknown>>;
  try {
    record = JSON.parse(text) as typeof record;
  } catch {
    return undefined;
  }
  if (typeof record !== 'object' || record === null) return undefined;
  const { id, host, command, generation, beat, isReleased } = record;
  const isRecord =
    [id, host, command].every((value) => typeof value === 'string') &&
    [generation, beat].every((value) => Number.isSafeInteger(value)) &&
    typeof isReleased === 'boolean';
  return isRecord ? (record as LeaseRecord) : undefined;
}
