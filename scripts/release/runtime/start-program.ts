import { createRequire } from 'node:module';
import { findModules, HOME } from './find-modules.ts';

/** Set by the build: the program's first file among the assets. */
declare const ENTRY: string;

// The script that an executable starts with.
findModules();
createRequire(`${HOME}x`)(HOME + ENTRY);
