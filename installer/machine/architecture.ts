import { SyncerError } from '../../src/core/errors.ts';

/** The names that archives of releases have for architectures, and what their programs say in their heads. */
export interface Architecture {
  /** As in `webhook-linux-amd64.tar.gz`. */
  readonly name: 'amd64' | 'arm64';
  /** `e_machine` of an ELF file. */
  readonly elfMachine: number;
}

const AMD64: Architecture = { name: 'amd64', elfMachine: 62 };
const ARM64: Architecture = { name: 'arm64', elfMachine: 183 };

const BY_MACHINE: ReadonlyMap<string, Architecture> = new Map([
  ['x86_64', AMD64],
  ['amd64', AMD64],
  ['aarch64', ARM64],
  ['arm64', ARM64],
]);

/** The architecture of a machine as `uname -m` names it. Throws `unsupported` for those without an archive. */
export function architectureOf(machine: string): Architecture {
  const known = BY_MACHINE.get(machine);
  if (known !== undefined) return known;
  throw new SyncerError(
    'unsupported',
    `unsupported architecture "${machine}": only x86_64 and aarch64 are supported`,
  );
}
