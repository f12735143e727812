import { posix } from 'node:path';

/** What this needs to know of a file of the bundle. */
export interface Script {
  readonly fileName: string;
  readonly code: string;
  /** The files it may import later, relative to the bundle. */
  readonly dynamicImports: readonly string[];
}

/** A file that only passes on what another one has. */
interface Facade {
  /** Relative to the bundle. */
  readonly target: string;
  /** What the file calls it, and what the other one does. */
  readonly names: readonly (readonly [name: string, there: string])[];
}

const FACADE = /^import \{([^{}]*)\} from "(\.[^"]+)";\s*export \{([^{}]*)\};?\s*$/;
const LATE_IMPORT = /\bimport\((["'])(\.[^"']+)\1\)/g;

/**
 * The bundler makes a file for each module that is reached by `import()`, also where a group has that module already:
 * then it only passes on what the group's file has. Such files cost as much to load as others; those who import them
 * get it from the group's file here.
 */
export function withoutFacades<Of extends Script>(scripts: readonly Of[]): Of[] {
  const facades = new Map(
    scripts.flatMap((script) => {
      const facade = facadeOf(script);
      return facade === undefined ? [] : [[script.fileName, facade] as const];
    }),
  );
  return scripts
    .filter(({ fileName }) => !facades.has(fileName))
    .map((script) => ({
      ...script,
      code: redirected(script, facades),
      dynamicImports: script.dynamicImports.map((path) => facades.get(path)?.target ?? path),
    }));
}

function facadeOf({ fileName, code }: Script): Facade | undefined {
  const [, imported, from, exported] = FACADE.exec(code.trim()) ?? [];
  if (imported === undefined || from === undefined || exported === undefined) return undefined;
  const there = new Map(pairsOf(imported).map(([name, local]) => [local, name]));
  const names = pairsOf(exported).map(([local, name]) => [name, there.get(local) ?? ''] as const);
  return { target: posix.join(posix.dirname(fileName), from), names };
}

/** The pairs of `a as b, c`; the one of `c` is twice the same. */
function pairsOf(list: string): [string, string][] {
  return list
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .map((one) => {
      const [first = '', second = first] = one.split(/\s+as\s+/);
      return [first, second];
    });
}

function redirected({ fileName, code }: Script, facades: ReadonlyMap<string, Facade>): string {
  const folder = posix.dirname(fileName);
  return code.replace(LATE_IMPORT, (whole, _quote, path: string) => {
    const facade = facades.get(posix.join(folder, path));
    if (facade === undefined) return whole;
    const target = posix.relative(folder, facade.target);
    const names = facade.names.map(([name, there]) => `${name}: group.${there}`);
    const from = target.startsWith('.') ? target : `./${target}`;
    return `import("${from}").then((group) => ({ ${names.join(', ')} }))`;
  });
}
