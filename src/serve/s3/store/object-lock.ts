/** `GOVERNANCE` can be bypassed by a client that asks for it, `COMPLIANCE` never. */
export type LockMode = 'GOVERNANCE' | 'COMPLIANCE';

/** Protects a version from deletion until a time. */
export interface Retention {
  readonly mode: LockMode;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** The locks of one version. */
export interface ObjectLocks {
  readonly retention?: Retention | undefined;
  readonly legalHold?: 'ON' | 'OFF';
}

/** The retention of new objects of a bucket: either `days` or `years` is set. */
export interface DefaultRetention {
  readonly mode: LockMode;
  readonly days?: number;
  readonly years?: number;
}

/** The end of a default retention that starts now, in milliseconds since the epoch. */
export function retentionOf(rule: DefaultRetention, nowMs: number): Retention {
  const until = new Date(nowMs);
  until.setUTCFullYear(until.getUTCFullYear() + (rule.years ?? 0));
  until.setUTCDate(until.getUTCDate() + (rule.days ?? 0));
  return { mode: rule.mode, until: until.getTime() };
}

/** Whether a version can be deleted. */
export function mayRemove(locks: ObjectLocks, nowMs: number, bypass: boolean): boolean {
  const { retention, legalHold } = locks;
  if (legalHold === 'ON') return false;
  return !isActive(retention, nowMs) || (bypass && retention.mode === 'GOVERNANCE');
}

/** Whether a retention can replace another: an active one can only be extended. */
export function mayReplaceRetention(
  before: Retention | undefined,
  after: Retention | undefined,
  nowMs: number,
  bypass: boolean,
): boolean {
  if (!isActive(before, nowMs)) return true;
  if (after?.mode === before.mode && after.until >= before.until) return true;
  return bypass && before.mode === 'GOVERNANCE';
}

function isActive(retention: Retention | undefined, nowMs: number): retention is Retention {
  return retention !== undefined && retention.until > nowMs;
}
