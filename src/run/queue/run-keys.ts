/** All runs: by id, what each is to do. */
export const RUNS_KEY = 'syncer:runs';

/** Runs that have ended lately: their ids, by the time of their end. */
export const ENDED_KEY = 'syncer:ended';

/** Where a run keeps its state, its ranges, who works on it, who coordinates, and its errors; and its channel. */
export type RunPart = 'run' | 'ranges' | 'workers' | 'lease' | 'errors' | 'news';

/** A key of one run. */
export const runKey = (run: string, part: RunPart): string => `syncer:{${run}}:${part}`;

/** A limit that all workers of a run share. */
export const limitKey = (run: string, name: string): string => `syncer:{${run}}:limit:${name}`;

/** Which run changes which places: by id, a list with the identity of each place and of all places above it. */
export const CHANGES_KEY = 'syncer:changes';

/** The name of the queue of a run, with the prefix `bull:` in the server. */
export const queueName = (run: string): string => `syncer-${run}`;
