/** What a remote said when it was last asked. */
export interface RemoteHealth {
  /** What the name stood for: the type and place. */
  readonly of?: string;
  /** When, in milliseconds since the epoch. */
  readonly askedMs: number;
  /** Why it did not work; absent where it did. */
  readonly problem?: string;
  /** It could not be reached: perhaps this machine is offline. */
  readonly isOffline?: boolean;
  /** In bytes, where the remote knows them. */
  readonly used?: number;
  readonly free?: number;
  readonly total?: number;
  /** When these were asked for, if that is longer ago. */
  readonly measuredMs?: number;
}

/** For this long a remote is not asked again in the background, in milliseconds. */
const FRESH_MS = 10 * 60_000;

/** Whether a remote need not be asked again for a while; `changedMs`: when the configuration was changed. */
export function isFresh(
  health: RemoteHealth | undefined,
  nowMs: number,
  changedMs = Number.NEGATIVE_INFINITY,
): boolean {
  if (health === undefined || health.askedMs <= changedMs) return false;
  return Math.abs(nowMs - health.askedMs) < FRESH_MS;
}

/** What is known of a remote after another answer: where it cannot be reached, its space as it was. */
export function afterAnswer(known: RemoteHealth | undefined, answer: RemoteHealth): RemoteHealth {
  if (answer.isOffline !== true || known?.used === undefined) return answer;
  return { measuredMs: known.askedMs, ...known, ...answer };
}

/** What is kept of all remotes, by name, as the text of its file. */
export function formatHealth(all: ReadonlyMap<string, RemoteHealth>): string {
  return `${JSON.stringify(Object.fromEntries(all), undefined, 2)}\n`;
}

/** Reads what `formatHealth` writes; anything else is left out. */
export function parseHealth(text: string): ReadonlyMap<string, RemoteHealth> {
  let records: unknown;
  try {
    records = JSON.parse(text);
  } catch {
    return new Map();
  }
  if (typeof records !== 'object' || records === null) return new Map();
  return new Map(Object.entries(records).filter(([, record]) => isHealth(record)));
}

function isHealth(record: unknown): record is RemoteHealth {
  if (typeof record !== 'object' || record === null) return false;
  const { of, askedMs, problem, used, free, total, measuredMs } = record as Record<string, unknown>;
  const numbers = [used, free, total, measuredMs].every(
    (one) => one === undefined || Number.isFinite(one),
  );
  const isText = [of, problem].every((one) => one === undefined || typeof one === 'string');
  return Number.isFinite(askedMs) && numbers && isText;
}
