import type { SyncerError } from '../../src/core/errors.ts';
import type { Capabilities, Remote } from '../../src/core/remote.ts';
import { overriding } from './layered.ts';
import { remoteBut } from './memory-world.ts';

/** Fails the calls it is told to; counts them all. */
export interface FaultPlan {
  calls: number;
  /** Whether call number `n` (from 1), of this method, is to fail, and how. */
  readonly fail: (n: number, method: string) => SyncerError | undefined;
  /** The call has its effect and only its answer is lost. */
  readonly answerLost?: boolean;
}

type AnyMethod = (...args: never[]) => Promise<unknown>;

/** The remote, with every method and capability going through the plan. */
export function faultyRemote(remote: Remote, plan: FaultPlan): Remote {
  return guardedRemote(remote, async (name, call) => {
    const error = plan.fail(++plan.calls, name);
    if (error !== undefined && plan.answerLost === true) await call();
    if (error !== undefined) throw error;
    return call();
  });
}

/** The remote, with a guard around every method and capability; it gets the call to make. */
export function guardedRemote(
  remote: Remote,
  guard: (name: string, call: () => Promise<unknown>) => Promise<unknown>,
): Remote {
  const guarded = <M extends AnyMethod>(name: string, method: M): M =>
    ((...args: never[]) => guard(name, () => method(...args))) as M;
  const members = Object.fromEntries(
    Object.entries(remote.can).map(([name, method]) => [
      name,
      typeof method === 'function' ? guarded(name, method as AnyMethod) : method,
    ]),
  ) as Capabilities;
  const can = overriding(members, {
    details: (details) => ({ ...details, read: guarded('details', details.read) }),
  });
  const plain = remoteBut(remote, {});
  return {
    ...plain,
    can,
    listPage: guarded('listPage', plain.listPage),
    stat: guarded('stat', plain.stat),
    read: guarded('read', plain.read),
    write: guarded('write', plain.write),
    delete: guarded('delete', plain.delete),
    makeDir: guarded('makeDir', plain.makeDir),
    deleteDir: guarded('deleteDir', plain.deleteDir),
  };
}

/** A plan in which call number `at` fails once. */
export function failOnce(at: number, error: SyncerError, answerLost = false): FaultPlan {
  return { calls: 0, answerLost, fail: (n) => (n === at ? error : undefined) };
}
