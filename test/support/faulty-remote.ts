import { overriding } from '../../src/core/around.ts';
import type { SyncerError } from '../../src/core/errors.ts';
import type { Capabilities, Remote } from '../../src/core/remote.ts';
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
  const guard = <M extends AnyMethod>(name: string, method: M): M =>
    (async (...args: never[]) => {
      const error = plan.fail(++plan.calls, name);
      if (error !== undefined && plan.answerLost === true) await method(...args);
      if (error !== undefined) throw error;
      return method(...args);
    }) as M;
  const members = Object.fromEntries(
    Object.entries(remote.can).map(([name, method]) => [
      name,
      typeof method === 'function' ? guard(name, method as AnyMethod) : method,
    ]),
  ) as Capabilities;
  const can = overriding(members, {
    details: (details) => ({ ...details, read: guard('details', details.read) }),
  });
  const plain = remoteBut(remote, {});
  return {
    ...plain,
    can,
    listPage: guard('listPage', plain.listPage),
    stat: guard('stat', plain.stat),
    read: guard('read', plain.read),
    write: guard('write', plain.write),
    delete: guard('delete', plain.delete),
    makeDir: guard('makeDir', plain.makeDir),
    deleteDir: guard('deleteDir', plain.deleteDir),
  };
}

/** A plan in which call number `at` fails once. */
export function failOnce(at: number, error: SyncerError, answerLost = false): FaultPlan {
  return { calls: 0, answerLost, fail: (n) => (n === at ? error : undefined) };
}
