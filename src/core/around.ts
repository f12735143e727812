import { METHOD_KINDS, type MemberName, type MemberOf, type MethodName } from './members.ts';
import type { Capabilities, Remote } from './remote.ts';

/**
 * What a layer does about a member: `passes` it on, perhaps with the reason why it may; or does this instead, with that
 * of the remote inside. What that lacks stays absent.
 */
export type Treatment<Member> = 'passes' | { readonly passes: string } | ((own: Member) => Member);

/** What it does about a capability: it may also hide it, or have it whatever the remote inside can do. */
export type CapabilityTreatment<Member> = Treatment<Member> | 'hides' | { readonly adds: Member };

/** What a layer does about every member of a remote: a new member does not compile until each layer says it. */
export type Layer = {
  readonly [Name in MemberName]: Name extends MethodName
    ? Treatment<MemberOf<Name>>
    : CapabilityTreatment<MemberOf<Name>>;
};

/** The same treatment for these members. */
export function alike<const Name extends MemberName, const Alike>(
  names: readonly Name[],
  treatment: Alike,
): { readonly [Each in Name]: Alike } {
  const all: { [Each in Name]?: Alike } = {};
  for (let at = 0; at < names.length; at++) all[names[at] as Name] = treatment;
  return all as { readonly [Each in Name]: Alike };
}

/**
 * The remote with a layer around it. Objects among the capabilities are plain ones: a copy of one has all its members.
 *
 * @param name of the layer, for `Remote.layers`
 */
export function around(inner: Remote, name: string, layer: Layer): Remote {
  const { root, storeId, title, traits, isTooLong } = inner;
  return {
    name: inner.name,
    root,
    title,
    traits,
    can: capabilitiesIn(inner.can, layer),
    inside: inner,
    layers: [...(inner.layers ?? []), name],
    ...(storeId === undefined ? {} : { storeId }),
    ...(isTooLong && { isTooLong: treated(layer.isTooLong, isTooLong.bind(inner)) }),
    listPage: treated(layer.listPage, inner.listPage.bind(inner)),
    stat: treated(layer.stat, inner.stat.bind(inner)),
    read: treated(layer.read, inner.read.bind(inner)),
    write: treated(layer.write, inner.write.bind(inner)),
    delete: treated(layer.delete, inner.delete.bind(inner)),
    makeDir: treated(layer.makeDir, inner.makeDir.bind(inner)),
    deleteDir: treated(layer.deleteDir, inner.deleteDir.bind(inner)),
    close: treated(layer.close, inner.close.bind(inner)),
  };
}

function treated<Member>(treatment: Treatment<Member>, own: Member): Member {
  return typeof treatment === 'function' ? treatment(own) : own;
}

/** The capabilities in a layer: the same object if it passes them all. */
function capabilitiesIn(can: Capabilities, layer: Layer): Capabilities {
  let members: Members | undefined;
  const names = Object.keys(layer) as MemberName[];
  // By index, and what passes first: each layer of each remote comes here before anything is done.
  for (let at = 0; at < names.length; at++) {
    const name = names[at] as MemberName;
    const treatment = layer[name];
    if (treatment === 'passes' || isPassed(treatment) || name in METHOD_KINDS) continue;
    // One copy for all members.
    members ??= { ...can };
    const [group = '', member] = name.split('.');
    if (member === undefined) setMember(members, group, members[group], treatment);
    else if (members[group] !== undefined) {
      const object = members[group] as Members;
      members[group] =
        group === 'commands'
          ? Object.fromEntries(
              Object.entries(object).map(([word, command]) => [
                word,
                inObject(command as Members, member, treatment),
              ]),
            )
          : inObject(object, member, treatment);
    }
  }
  // Another copy: V8 finds the members of an object more slowly once one was deleted.
  return members === undefined ? can : { ...members };
}

type Members = Record<string, unknown>;

type Change = Exclude<Layer[MemberName], 'passes' | { readonly passes: string }>;

function isPassed(treatment: Layer[MemberName]): treatment is Exclude<Layer[MemberName], Change> {
  return treatment === 'passes' || (typeof treatment === 'object' && 'passes' in treatment);
}

/** A copy of an object among the capabilities, with this member treated. */
function inObject(object: Readonly<Members>, name: string, treatment: Change): Members {
  const own = object[name];
  const copy = { ...object };
  setMember(copy, name, typeof own === 'function' ? own.bind(object) : own, treatment);
  return copy;
}

function setMember(members: Members, name: string, own: unknown, treatment: Change): void {
  if (treatment === 'hides') delete members[name];
  else if (typeof treatment === 'object') members[name] = treatment.adds;
  else if (own !== undefined) members[name] = (treatment as (own: unknown) => unknown)(own);
}

/** A remote and the layers below it, from the outermost to the remote that the backend opened. */
export function* layersOf(remote: Remote): Generator<Remote> {
  for (let at: Remote | undefined = remote; at !== undefined; at = at.inside) yield at;
}

/** The remote that the backend opened. Operations between two remotes of one backend use these. */
export const innermost = (remote: Remote): Remote => [...layersOf(remote)].at(-1) ?? remote;
