import type { Capabilities, Remote } from './remote.ts';

/** A layer's replacements for a remote's own methods; all capabilities if it changes any. */
export type Layer = Partial<Omit<Remote, 'name' | 'root' | 'storeId' | 'title' | 'traits'>>;

/** What a layer does instead of some operations; each gets the remote's own, and is only asked if there is one. */
export type Overrides = {
  readonly [Name in keyof Capabilities]?:
    | ((own: NonNullable<Capabilities[Name]>) => NonNullable<Capabilities[Name]>)
    | undefined;
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

const inside = new WeakMap<Remote, Remote>();

/** The remote with a layer around it. Anything the layer does not define is the remote's own. */
export function around(inner: Remote, layer: Layer): Remote {
  const { name, root, storeId, title, traits, can } = inner;
  const outer: Remote = {
    name,
    root,
    title,
    traits,
    can,
    ...(storeId === undefined ? {} : { storeId }),
    ...(inner.isTooLong && { isTooLong: inner.isTooLong.bind(inner) }),
    listPage: inner.listPage.bind(inner),
    stat: inner.stat.bind(inner),
    read: inner.read.bind(inner),
    write: inner.write.bind(inner),
    delete: inner.delete.bind(inner),
    makeDir: inner.makeDir.bind(inner),
    deleteDir: inner.deleteDir.bind(inner),
    close: inner.close.bind(inner),
    ...layer,
  };
  inside.set(outer, inner);
  return outer;
}

/** A remote and the layers below it, from the outermost to the remote that the backend opened. */
export function* layersOf(remote: Remote): Generator<Remote> {
  for (let at: Remote | undefined = remote; at !== undefined; at = inside.get(at)) yield at;
}

/** The remote that the backend opened. Operations between two remotes of one backend use these. */
export function innermost(remote: Remote): Remote {
  return [...layersOf(remote)].at(-1) ?? remote;
}
