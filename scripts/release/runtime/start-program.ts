import { createRequire } from 'node:module';
import { EXECUTABLE_HOME } from '../../bundle/runtime/load-script.ts';
import { findModules } from './find-modules.ts';

/** Set by the build: the program's first file among the assets. */
declare const ENTRY: string;

// The script that an executable starts with.
findModules();
createRequire(`${EXECUTABLE_HOME}x`)(EXECUTABLE_HOME + ENTRY);
