import { createRequire, registerHooks } from 'node:module';
import { getRawAsset } from 'node:sea';

/** Set by the build: the program's first file among the assets. */
declare const ENTRY: string;

/** Where modules of the executable seem to lie. No such folder has to be there. */
const HOME = 'file:///$syncer/';

/**
 * The script that an executable starts with. The program's files are assets, and modules are read from there, each only
 * when it is imported, as from a folder.
 */
registerHooks({
  resolve(specifier, context, next) {
    if (specifier.startsWith(HOME)) return found(specifier);
    if (context.parentURL?.startsWith(HOME) !== true) return next(specifier, context);
    if (specifier === 'koffi') return found(`${HOME}koffi.js`);
    if (!specifier.startsWith('.')) return next(specifier, context);
    return found(new URL(specifier, context.parentURL).href);
  },
  load(url, context, next) {
    if (!url.startsWith(HOME)) return next(url, context);
    const source = new Uint8Array(getRawAsset(url.slice(HOME.length)) as ArrayBuffer);
    return { format: 'module', source, shortCircuit: true };
  },
});

const found = (url: string) => ({ url, format: 'module', shortCircuit: true });

createRequire(`${HOME}x`)(HOME + ENTRY);
