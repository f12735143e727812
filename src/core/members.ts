import { once } from './once.ts';
import type { BackendCommand, Capabilities, Remote } from './remote.ts';

/**
 * What a call of a member does. `changes`: it changes something at the place, or the login. `lists`: it returns entries
 * of many paths. `reads`: it asks for something else. `says`: it sends no request; a fact, or what this machine knows.
 */
export type MemberKind = 'changes' | 'lists' | 'reads' | 'says';

type Call = (...args: never[]) => unknown;

/** A member by its name, or those of an object by its name and theirs. */
type NamesIn<Name extends string, Member> = Member extends Call | boolean | number | string
  ? Name
  : `${Name}.${keyof Member & string}`;

/** A method that every remote has, or `isTooLong`. */
export type MethodName = {
  [Name in keyof Remote]-?: NonNullable<Remote[Name]> extends Call ? Name : never;
}[keyof Remote];

type CapabilityMember = {
  [Name in keyof Capabilities]-?: Name extends 'commands'
    ? NamesIn<Name, BackendCommand>
    : NamesIn<Name, NonNullable<Capabilities[Name]>>;
}[keyof Capabilities];

/** A method of a remote, a capability, or a member of one that is an object: `details.read`. */
export type MemberName = MethodName | CapabilityMember;

/** The member of that name; `commands.run` is that of each command. */
export type MemberOf<Name extends MemberName> = Name extends MethodName
  ? NonNullable<Remote[Name]>
  : Name extends keyof Capabilities
    ? NonNullable<Capabilities[Name]>
    : Name extends `commands.${infer Member extends keyof BackendCommand}`
      ? NonNullable<BackendCommand[Member]>
      : Name extends `${infer Group extends keyof Capabilities}.${infer Member}`
        ? MemberIn<NonNullable<Capabilities[Group]>, Member>
        : never;

type MemberIn<Group, Member> = Member extends keyof Group ? NonNullable<Group[Member]> : never;

/** The kind of each method: what a layer must do about it depends on this. */
export const METHOD_KINDS = {
  isTooLong: 'says',
  listPage: 'lists',
  stat: 'reads',
  read: 'reads',
  write: 'changes',
  delete: 'changes',
  makeDir: 'changes',
  deleteDir: 'changes',
  close: 'says',
} as const satisfies Record<MethodName, MemberKind>;

/** The kind of each capability. */
const CAPABILITY_KINDS = {
  'place.kind': 'says',
  'place.store': 'says',
  'place.anchor': 'reads',
  'place.part': 'says',
  'place.lineage': 'reads',
  'place.rootPath': 'says',
  'place.fileId': 'says',
  'place.fingerprint': 'says',
  'place.leadsAway': 'says',
  'place.views': 'reads',
  'naming.ignoresCase': 'says',
  'naming.isSaidToBeExact': 'says',
  'naming.fold': 'says',
  'naming.areOne': 'says',
  'naming.otherSpelling': 'says',
  'naming.storedPath': 'says',
  'details.read': 'reads',
  'details.checksums': 'says',
  'details.body': 'says',
  stamp: 'says',
  confirmSize: 'reads',
  isSlow: 'says',
  writeMemory: 'says',
  keepsUnchanged: 'says',
  writesIfUnchanged: 'says',
  mayCopyParts: 'says',
  setModTime: 'changes',
  setDirModTime: 'changes',
  readDirMetadata: 'reads',
  setDirMetadata: 'changes',
  copyFrom: 'changes',
  moveFrom: 'changes',
  moveDirFrom: 'changes',
  purge: 'changes',
  purgeUnlisted: 'changes',
  foreignIn: 'reads',
  deleteShortcut: 'changes',
  deletesAtOnce: 'says',
  takeBack: 'changes',
  'restoring.keeps': 'reads',
  'restoring.restore': 'changes',
  'restoring.find': 'reads',
  'restoring.isInBin': 'reads',
  fetch: 'reads',
  linkFrom: 'changes',
  unlistedAt: 'reads',
  listTreePage: 'lists',
  listTreeUnordered: 'lists',
  listDirs: 'lists',
  listUsage: 'lists',
  takeUsage: 'lists',
  changes: 'reads',
  watch: 'reads',
  about: 'reads',
  publicLink: 'changes',
  deleteLink: 'changes',
  setTier: 'changes',
  'commands.summary': 'says',
  'commands.usage': 'says',
  'commands.options': 'says',
  'commands.takesFile': 'says',
  'commands.run': 'changes',
  cleanUp: 'changes',
  disconnect: 'changes',
  'inspection.url': 'says',
  'inspection.identity': 'says',
  'inspection.offline': 'says',
  'inspection.findings': 'reads',
  userInfo: 'reads',
  listKept: 'lists',
  listUploads: 'lists',
  listVersions: 'lists',
  restoreKept: 'changes',
  deleteKept: 'changes',
  hash: 'reads',
  hashes: 'reads',
  hashMany: 'reads',
  'pieces.md5s': 'reads',
  'pieces.cuts': 'reads',
  hashesInDoubt: 'says',
  confirmHashes: 'reads',
  noteHashes: 'says',
} as const satisfies Record<CapabilityMember, MemberKind>;

const MEMBER_KINDS = { ...METHOD_KINDS, ...CAPABILITY_KINDS };

type Kinds = typeof MEMBER_KINDS;

/** The names of all members of a kind. */
export type MemberOfKind<Kind extends MemberKind> = {
  [Name in MemberName]: Kinds[Name] extends Kind ? Name : never;
}[MemberName];

const byKind = once(() => {
  const names = Object.keys(MEMBER_KINDS) as MemberName[];
  return Map.groupBy(names, (name): MemberKind => MEMBER_KINDS[name]);
});

/** All names, or those of some kinds. Each layer of each remote asks for them before anything is done. */
export function membersOf<Kind extends MemberKind = MemberKind>(
  ...kinds: readonly Kind[]
): readonly MemberOfKind<Kind>[] {
  const asked: readonly MemberKind[] = kinds.length === 0 ? [...byKind().keys()] : kinds;
  const names: readonly string[] = asked.flatMap((kind) => byKind().get(kind) ?? []);
  return names as readonly MemberOfKind<Kind>[];
}
