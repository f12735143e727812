import { type MemberName, membersOf } from '../../src/core/members.ts';
import type { Remote } from '../../src/core/remote.ts';

/** The word of the one command that a whole remote has. */
const COMMAND = 'word';

type Members = Record<string, unknown>;

/** The object that has a member of a remote; that of each command is that of the one here. */
function objectOf(remote: Remote, name: MemberName): Members {
  if (name in remote) return remote as unknown as Members;
  const [group = '', member] = name.split('.');
  const can = remote.can as unknown as Members;
  if (member === undefined) return can;
  can[group] ??= group === 'commands' ? { [COMMAND]: {} } : {};
  const object = can[group] as Members;
  return group === 'commands' ? (object[COMMAND] as Members) : object;
}

/** A member of a remote by its name in the table. */
export function memberIn(remote: Remote, name: MemberName): (...args: unknown[]) => unknown {
  const object = objectOf(remote, name);
  const member = object[name.split('.').at(-1) ?? ''];
  if (typeof member !== 'function') throw new Error(`${name} is no function`);
  return member.bind(object) as (...args: unknown[]) => unknown;
}

/**
 * A remote that has every member of the table, each as a function.
 *
 * @param call called with the name of the member and its arguments; gives its result
 */
export function wholeRemote(call: (name: MemberName, args: readonly unknown[]) => unknown): Remote {
  const methods = ['isTooLong', 'listPage', 'stat', 'read', 'write', 'delete', 'makeDir'];
  const plain = { name: 'whole', root: '/root', title: 'a whole remote', traits: {}, can: {} };
  const remote = plain as unknown as Remote & Members;
  for (const name of [...methods, 'deleteDir', 'close']) remote[name] = undefined;
  for (const name of membersOf()) {
    const member = (...args: unknown[]) => call(name, args);
    objectOf(remote, name)[name.split('.').at(-1) ?? ''] = member;
  }
  return remote;
}
