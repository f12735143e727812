import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';

const FOLDER = import.meta.dirname;

/** The script that an executable starts with, for a program whose first file is `entry`. */
export async function startScript(entry: string): Promise<string> {
  return bundled({
    entryPoints: [join(FOLDER, '../runtime/start-program.ts')],
    format: 'cjs',
    define: { ENTRY: JSON.stringify(entry) },
  });
}

/** The script that threads of an executable start with. */
export async function threadScript(): Promise<string> {
  return bundled({ entryPoints: [join(FOLDER, '../runtime/start-thread.ts')], format: 'cjs' });
}

/** koffi as one module that finds its native part among the assets. */
export async function koffiScript(root: string): Promise<string> {
  const native: Plugin = {
    name: 'native part among the assets',
    setup({ onResolve }) {
      const path = join(FOLDER, '../runtime/load-native.ts');
      onResolve({ filter: /\/static\.js$/ }, () => ({ path }));
    },
  };
  return bundled({
    entryPoints: [join(root, 'node_modules/koffi/index.js')],
    format: 'esm',
    plugins: [native],
  });
}

async function bundled(options: Parameters<typeof build>[0]): Promise<string> {
  const { outputFiles } = await build({
    ...options,
    bundle: true,
    platform: 'node',
    target: 'node24',
    minifySyntax: true,
    minifyWhitespace: true,
    write: false,
    logLevel: 'warning',
  });
  const [file] = outputFiles ?? [];
  if (file === undefined) throw new Error('the bundler gave nothing');
  return file.text;
}
