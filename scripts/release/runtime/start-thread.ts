import { findModules } from './find-modules.ts';

// What a thread of an executable runs before it imports anything: it does not have the hooks of the main thread.
findModules();
