import { registerHooks } from 'node:module';
import { getRawAsset } from 'node:sea';
import { EXECUTABLE_HOME } from '../../bundle/runtime/load-script.ts';

const found = (url: string) => ({ url, format: 'module', shortCircuit: true });

/** Has modules read from the assets of the executable, each only when it is imported, as from a folder. */
export function findModules(): void {
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier.startsWith(EXECUTABLE_HOME)) return found(specifier);
      if (context.parentURL?.startsWith(EXECUTABLE_HOME) !== true) return next(specifier, context);
      if (specifier === 'koffi') return found(`${EXECUTABLE_HOME}koffi.js`);
      if (!specifier.startsWith('.')) return next(specifier, context);
      return found(new URL(specifier, context.parentURL).href);
    },
    load(url, context, next) {
      if (!url.startsWith(EXECUTABLE_HOME)) return next(url, context);
      const source = new Uint8Array(getRawAsset(url.slice(EXECUTABLE_HOME.length)) as ArrayBuffer);
      return { format: 'module', source, shortCircuit: true };
    },
  });
}
