import type { CopyJob } from './copy-job.ts';
import type { Drive } from './drive.ts';
import { type DriveItem, sizeOf } from './drive-item.ts';
import type { Answer } from './graph-call.ts';
import { GraphFailure, nameTaken, notFound } from './graph-failure.ts';
import type { GraphWorld } from './graph-world.ts';
import { freeName } from './item-request.ts';

/** How long a copy takes that nobody asks about, in milliseconds. */
const UNWATCHED_MS = 2000;

/** Begins a copy; it is made when its monitor was asked often enough, or after a while. */
export function startCopy(world: GraphWorld, job: Omit<CopyJob, 'id' | 'pollsLeft' | 'outcome'>) {
  const started: CopyJob = {
    ...job,
    id: crypto.randomUUID(),
    pollsLeft: world.settings.copyPolls,
    outcome: undefined,
  };
  world.copies.set(started.id, started);
  setTimeout(() => finish(started), UNWATCHED_MS).unref();
  return started;
}

/** What the monitor says. */
export function answerMonitor(world: GraphWorld, id: string): Answer {
  const job = world.copies.get(id);
  if (job === undefined) throw notFound('There is no such operation.');
  if (job.outcome === undefined && job.pollsLeft-- > 0) {
    const json = { operation: 'ItemCopy', percentageComplete: 50, status: 'inProgress' };
    return { status: 202, json };
  }
  const outcome = finish(job);
  if (outcome instanceof GraphFailure) {
    const { code, message } = outcome;
    const json = { operation: 'ItemCopy', errorCode: code, error: { code, message } };
    return { status: 200, json: { ...json, status: 'failed' } };
  }
  const { drive } = job.target;
  const place = `${job.origin}${world.settings.basePath}/drives/${drive.id}/items/${outcome.id}`;
  const json = {
    operation: 'ItemCopy',
    percentageComplete: 100,
    resourceId: outcome.id,
    status: 'completed',
  };
  if (!world.settings.copyRedirects) return { status: 200, json };
  return { status: 303, headers: { location: place }, json };
}

function finish(job: CopyJob): DriveItem | GraphFailure {
  job.outcome ??= attempt(job);
  return job.outcome;
}

function attempt({ source, target, behavior }: CopyJob): DriveItem | GraphFailure {
  const { drive, folder, name } = target;
  try {
    if (!drive.items.has(folder.id)) throw notFound();
    if (!source.drive.items.has(source.item.id)) throw notFound();
    drive.needSpace(sizeOf(source.item));
    const free = freeName(folder, name, behavior);
    if (free !== undefined) return copyItem(drive, source.item, folder, free);
    const other = folder.children?.get(name.toLowerCase());
    if (other?.content === undefined || other === source.item) throw nameTaken(name);
    drive.remove(other);
    return copyItem(drive, source.item, folder, name);
  } catch (error) {
    if (error instanceof GraphFailure) return error;
    throw error;
  }
}

/** Copies an item with all that is in it; the copies get new ids and new times. */
function copyItem(drive: Drive, item: DriveItem, parent: DriveItem, name: string): DriveItem {
  const children = [...(item.children?.values() ?? [])];
  const made = drive.make(name, parent, { folder: item.children !== undefined });
  if (item.content !== undefined) drive.write(made, item.content, item.mimeType);
  for (const child of children) copyItem(drive, child, made, child.name);
  return made;
}
