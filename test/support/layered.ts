import { alike, around } from '../../src/core/around.ts';
import { membersOf } from '../../src/core/members.ts';
import type { Capabilities, Remote } from '../../src/core/remote.ts';

/** The remote with a layer that has these members instead. */
export function layered(inner: Remote, members: Partial<Remote>): Remote {
  return { ...around(inner, 'test', alike(membersOf(), 'passes')), ...members };
}

/** What is done instead of some capabilities; each gets the remote's own, and is only asked if there is one. */
type Overrides = {
  readonly [Name in keyof Capabilities]?: (
    own: NonNullable<Capabilities[Name]>,
  ) => NonNullable<Capabilities[Name]>;
};

/** The capabilities with these overrides. What a remote cannot do stays absent. */
export function overriding(can: Capabilities, overrides: Overrides): Capabilities {
  const changed: Record<string, unknown> = { ...can };
  for (const name of Object.keys(overrides) as (keyof Capabilities)[]) {
    const override = overrides[name] as ((own: unknown) => unknown) | undefined;
    if (override !== undefined && can[name] !== undefined) changed[name] = override(can[name]);
  }
  return changed;
}
