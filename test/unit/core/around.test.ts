import { expect, test } from 'vitest';
import { alike, around, innermost, type Layer } from '../../../src/core/around.ts';
import { type MemberKind, type MemberName, membersOf } from '../../../src/core/members.ts';
import type { Remote } from '../../../src/core/remote.ts';
import { remoteWith } from '../../support/memory-world.ts';
import { memberIn, wholeRemote } from '../../support/whole-remote.ts';

const OP = { signal: new AbortController().signal };
const PASSES = alike(membersOf(), 'passes');

test('a layer that forgets a member does not compile', async () => {
  const remote = await remoteWith({});
  const { copyFrom: _copy, ...withoutCopy } = PASSES;
  // @ts-expect-error It says nothing about `copyFrom`.
  around(remote, 'test', withoutCopy);
  const { 'restoring.restore': _restore, ...withoutRestore } = PASSES;
  // @ts-expect-error It says nothing about a member of an object.
  around(remote, 'test', withoutRestore);
  const { makeDir: _make, ...withoutMethod } = PASSES;
  // @ts-expect-error It says nothing about a method.
  around(remote, 'test', withoutMethod);
  // @ts-expect-error Kinds that it does not name are missing.
  const some: Layer = alike(membersOf('says', 'reads', 'lists'), 'passes');
  // @ts-expect-error There is no such member.
  alike(['restoring.undo'], 'passes');
  // @ts-expect-error A method cannot be hidden.
  const hiding: Layer = { ...PASSES, write: 'hides' };
  // @ts-expect-error A table without one of the members.
  const kinds: Record<MemberName, MemberKind> = { listPage: 'lists' };
  expect([some, hiding, kinds]).toHaveLength(3);
});

test('a layer covers, hides and adds members, those of objects too', async () => {
  const called: string[] = [];
  const inner = wholeRemote((name) => void called.push(name));
  const outer = around(inner, 'test', {
    ...PASSES,
    stat: (stat) => async (path, op) => {
      called.push('outer');
      return stat(path, op);
    },
    purge: 'hides',
    'details.checksums': 'hides',
    'details.read': (read) => (file, op, asked) => {
      called.push('outer');
      return read(file, op, asked);
    },
    'commands.run': () => async () => void called.push('no command'),
    deletesAtOnce: { adds: 7 },
    about: { passes: 'a reason' },
  });
  await outer.stat('a', OP);
  await memberIn(outer, 'details.read')();
  await memberIn(outer, 'commands.run')();
  await memberIn(outer, 'details.body')();
  expect(called).toEqual(['outer', 'stat', 'outer', 'details.read', 'no command', 'details.body']);
  expect('purge' in outer.can).toBe(false);
  expect(outer.can.details).not.toHaveProperty('checksums');
  expect(outer.can.deletesAtOnce).toBe(7);
  expect(outer.can.about).toBe(inner.can.about);
  expect(inner.can.details).toHaveProperty('checksums');
});

test('a member that the remote inside lacks stays absent in a layer', () => {
  const inner = { ...wholeRemote(() => {}), can: {} } as Remote;
  const cover = <Member>(member: Member) => member;
  const outer = around(inner, 'test', {
    ...PASSES,
    copyFrom: cover,
    'restoring.restore': cover,
    'commands.run': cover,
  });
  expect(outer.can).toEqual({});
});

test('the layers of a remote are named from the inside out', async () => {
  const remote = await remoteWith({});
  const outer = around(around(remote, 'first', PASSES), 'second', PASSES);
  expect(outer.layers).toEqual(['first', 'second']);
  expect(outer.can).toBe(remote.can);
  expect(innermost(outer)).toBe(remote);
  expect(remote.layers).toBeUndefined();
});
