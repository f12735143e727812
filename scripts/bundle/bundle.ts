import { build, type Metafile } from 'esbuild';
import { PROGRAMS } from './programs.ts';
import { thirdPartyNotice } from './third-party-notice.ts';

/** A file of the bundle: its path relative to the output folder, its bytes, and whether it is a program. */
interface BundleFile {
  readonly path: string;
  readonly contents: Uint8Array;
  readonly executable: boolean;
}

/** What the bundler made: the files, and its own account of what went into each. */
interface Bundle {
  readonly files: readonly BundleFile[];
  readonly metafile: Metafile;
}

const SHEBANG = '#!/usr/bin/env node\n';

/** Packages from CommonJS call `require` for Node's own modules; an ES module has none unless it makes one. */
const REQUIRE =
  "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);\n";

/**
 * Bundles the programs, without writing anything. Every `import()` in the source becomes a file of its own
 * under `chunks/`, read only when it is reached.
 *
 * @param root the project's folder, absolute
 */
export async function bundle(root: string): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: PROGRAMS,
    outdir: 'dist',
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22.22',
    mainFields: ['module', 'main'],
    minifySyntax: true,
    minifyWhitespace: true,
    keepNames: false,
    // React's slow checks for developers stay out, and so does Ink's connection to a debugger.
    define: { 'process.env.NODE_ENV': '"production"' },
    alias: { 'react-devtools-core': './scripts/bundle/no-devtools.cjs' },
    legalComments: 'external',
    write: false,
    metafile: true,
    logLevel: 'warning',
  });
  const legalComments: string[] = [];
  const files: BundleFile[] = [];
  const outdir = `${root}/dist/`;
  for (const { path, text } of outputFiles) {
    const name = path.slice(outdir.length);
    if (name.endsWith('.LEGAL.txt')) legalComments.push(text);
    else files.push(finish(name, text));
  }
  const notice = await thirdPartyNotice(root, Object.keys(metafile.inputs), legalComments);
  files.push({ path: 'THIRD_PARTY.txt', contents: Buffer.from(notice), executable: false });
  return { files, metafile };
}

function finish(path: string, text: string): BundleFile {
  const executable = !path.includes('/');
  const body = text.startsWith('#!') ? text.slice(text.indexOf('\n') + 1) : text;
  const head = `${executable ? SHEBANG : ''}${body.includes('typeof require') ? REQUIRE : ''}`;
  return { path, contents: Buffer.from(head + body), executable };
}
